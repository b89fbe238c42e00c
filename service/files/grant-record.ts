import type { AuditToken } from "#contract/audit.ts";
import { auditEntryOnce } from "#service/changes/audit-entry.ts";
import type { ServiceContext } from "#service/context.ts";
import type { MediaGrant } from "./media-grant.ts";

type Use = {
  readonly grant: MediaGrant;
  readonly userId: string;
  readonly token: AuditToken | null;
  readonly requestId: string | null;
  readonly address: string;
};

/** Players request hundreds of ranges; a forgotten grant is still recorded only once. */
const MAX_REMEMBERED = 1_000;

/**
 * Records the first use of a grant. Await it before sending a byte, so that no file is read without
 * an audit entry.
 */
export type GrantRecord = (use: Use) => Promise<void>;

export function createGrantRecord({ platform }: Pick<ServiceContext, "platform">): GrantRecord {
  const recorded = new Set<string>();

  return async ({ grant, userId, token, requestId, address }) => {
    const key = `grant ${grant.sessionId} ${grant.use} ${grant.issuedAtMs} ${grant.key}`;
    if (recorded.has(key)) return;
    await platform.database.run(
      auditEntryOnce(
        {
          atMs: platform.clock.now(),
          actorId: userId,
          action: grant.use === "play" ? "file.play" : "file.download",
          target: grant.key,
          requestId,
          token,
          address,
        },
        key,
      ),
    );
    if (recorded.size >= MAX_REMEMBERED) recorded.clear();
    recorded.add(key);
  };
}
