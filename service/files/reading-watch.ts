import { onRightsChanged } from "#service/auth/session-events.ts";
import { wasEnded } from "#service/auth/session-judgement.ts";
import { findSession } from "#service/auth/session-store.ts";
import type { ServiceContext } from "#service/context.ts";

/** What is sent by then, as a player's ranges are, is not watched and costs nothing. */
const FIRST_LOOK_MS = 1_000;

/** Against news that got lost. An invocation of a Worker may ask D1 a thousand times: eight hours. */
const LOOK_EVERY_MS = 30_000;

/** After a look that failed. */
const LOOK_AGAIN_MS = 4_000;

/** Bytes of a stored file on their way to whoever was granted them. */
export type Reading = {
  readonly sessionId: string;
  readonly userId: string;
  /** Resolves when the bytes have ended, in whatever way. */
  readonly ended: Promise<void>;
  readonly breakOff: (reason: Error) => void;
};

export type ReadingWatch = (reading: Reading) => Promise<void>;

/**
 * Breaks a reading off once its session is ended by somebody, or its user may no longer read: at
 * once when the hub tells of it. One that merely outlasts its session goes on: a file of 40 GB
 * takes longer than an unused session lives.
 */
export function createReadingWatch({ platform, log }: ServiceContext): ReadingWatch {
  const { clock, database, hub } = platform;

  async function mayGoOn({ sessionId }: Reading): Promise<boolean> {
    const session = await findSession(database, sessionId);
    return session !== null && !wasEnded(session) && session.permissions.includes("read:uploads");
  }

  return async (reading) => {
    const over = new AbortController();
    void reading.ended.then(() => over.abort());
    await clock.sleep(FIRST_LOOK_MS, over.signal);
    let news = new AbortController();
    let subscription: { unsubscribe: () => void } | null = null;
    while (!over.signal.aborted) {
      news = new AbortController();
      let restMs = LOOK_EVERY_MS;
      try {
        subscription ??= await onRightsChanged(hub, (userId) => {
          if (userId === reading.userId) news.abort();
        });
        if (!(await mayGoOn(reading))) {
          reading.breakOff(new Error("Whoever reads this file may no longer read it"));
          break;
        }
      } catch (error) {
        log.error("A file being read could not be judged anew", { error });
        restMs = LOOK_AGAIN_MS;
      }
      await clock.sleep(restMs, AbortSignal.any([over.signal, news.signal]));
    }
    subscription?.unsubscribe();
  };
}
