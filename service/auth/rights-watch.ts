import type { Permission } from "#contract/permissions.ts";
import type { ServiceContext } from "#service/context.ts";
import { onRightsChanged } from "./session-events.ts";
import { wasEnded } from "./session-judgement.ts";
import { findSession } from "./session-store.ts";

/** What is through by then, as a player's ranges are, is not watched and costs nothing. */
const FIRST_LOOK_MS = 1_000;

/** Against news that got lost. An invocation of a Worker may ask D1 a thousand times: eight hours. */
const LOOK_EVERY_MS = 30_000;

/** After a look that failed. */
const LOOK_AGAIN_MS = 4_000;

/** Bytes on their way to whoever was granted them, or from whoever may send them. */
export type Transfer = {
  readonly sessionId: string;
  readonly userId: string;
  readonly permission: Permission;
  /** Resolves when the bytes have ended, in whatever way. */
  readonly ended: Promise<void>;
  readonly breakOff: (reason: Error) => void;
};

export type RightsWatch = (transfer: Transfer) => Promise<void>;

/**
 * Breaks a transfer off once its session is ended by somebody, or its user has lost the permission:
 * at once when the hub tells of it. One that merely outlasts its session goes on: a file of 40 GB
 * takes longer than an unused session lives.
 */
export function createRightsWatch({ platform, log }: ServiceContext): RightsWatch {
  const { clock, database, hub } = platform;

  async function mayGoOn({ sessionId, permission }: Transfer): Promise<boolean> {
    const session = await findSession(database, sessionId);
    return session !== null && !wasEnded(session) && session.permissions.includes(permission);
  }

  return async (transfer) => {
    const over = new AbortController();
    void transfer.ended.then(() => over.abort());
    await clock.sleep(FIRST_LOOK_MS, over.signal);
    let news = new AbortController();
    let subscription: { unsubscribe: () => void } | null = null;
    while (!over.signal.aborted) {
      news = new AbortController();
      let restMs = LOOK_EVERY_MS;
      try {
        subscription ??= await onRightsChanged(hub, (userId) => {
          if (userId === transfer.userId) news.abort();
        });
        if (!(await mayGoOn(transfer))) {
          transfer.breakOff(new Error("Whoever transfers these bytes may no longer do so"));
          break;
        }
      } catch (error) {
        log.error("A transfer could not be judged anew", { error });
        restMs = LOOK_AGAIN_MS;
      }
      await clock.sleep(restMs, AbortSignal.any([over.signal, news.signal]));
    }
    subscription?.unsubscribe();
  };
}
