import type { Permission } from "#contract/permissions.ts";
import type { ServiceContext } from "#service/context.ts";
import { onRightsChanged } from "./session-events.ts";
import { wasEnded } from "./session-validity.ts";
import { findAccess } from "./access.ts";

/**
 * Transfers that end earlier, such as a player's range requests, are not watched and cost nothing.
 */
const FIRST_LOOK_MS = 1_000;

/** Fallback for lost events. A Worker invocation may query D1 a thousand times: eight hours. */
const LOOK_EVERY_MS = 30_000;

/** Retry delay after a failed check. */
const LOOK_AGAIN_MS = 4_000;

/** A download or upload that depends on a session and a permission. */
export type Transfer = {
  readonly sessionId: string;
  readonly userId: string;
  readonly permission: Permission;
  /** Resolves when the transfer has ended, for any reason. */
  readonly ended: Promise<void>;
  readonly breakOff: (reason: Error) => void;
};

export type RightsWatch = (transfer: Transfer) => Promise<void>;

/**
 * Aborts a transfer once its session was ended deliberately or its user lost the permission,
 * immediately when the hub reports it. An expired session does not abort it: a file of 40 GB takes
 * longer than an idle session lives.
 */
export function createRightsWatch({ platform, log }: ServiceContext): RightsWatch {
  const { clock, database, hub } = platform;

  async function mayGoOn({ sessionId, permission }: Transfer): Promise<boolean> {
    const [session] = await findAccess(database, [sessionId]);
    return session !== undefined && !wasEnded(session) && session.permissions.includes(permission);
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
          transfer.breakOff(new Error("The user may no longer transfer these bytes"));
          break;
        }
      } catch (error) {
        log.error("A transfer could not be rechecked", { error });
        restMs = LOOK_AGAIN_MS;
      }
      await clock.sleep(restMs, AbortSignal.any([over.signal, news.signal]));
    }
    subscription?.unsubscribe();
  };
}
