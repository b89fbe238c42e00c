import type { ObjectKey } from "#contract/files.ts";
import { auditEntryIfChanged } from "#service/audit/audit-entry.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { notificationEventIfChanged } from "#service/notifications/notification-event.ts";

export type Damage = {
  /** One sentence for people. */
  readonly problem: string;
  /** Laid over the file's metadata, beside the problem. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The place in the metadata (SQLite's JSON path) that tells that this is known already. */
  readonly notedAt: string;
  /** The file as it was judged: a newer version of it is not marked. */
  readonly lastModifiedAt: number;
  readonly action: "file.missing" | "file.damage";
};

/**
 * Makes a file partial, with what is wrong in its metadata, and tells administrators. Answers
 * whether it did: false when the file is gone, newer, or says so already.
 */
export async function recordDamage(
  { platform }: ServiceContext,
  key: ObjectKey,
  damage: Damage,
): Promise<boolean> {
  const nowMs = platform.clock.now();
  const metadata = JSON.stringify({
    ...damage.metadata,
    problem: damage.problem,
    problemFoundAt: new Date(nowMs).toISOString(),
  });
  const [named] = await platform.database.all(
    sql`SELECT filename FROM files WHERE object_key = ${key}`,
  );
  const name = named?.filename ?? key.slice(key.lastIndexOf("/") + 1);
  const [change] = await platform.database.batch([
    sql`UPDATE files SET status = 'partial', metadata = json_patch(metadata, ${metadata})
      WHERE object_key = ${key} AND status IN ('complete', 'partial')
        AND last_modified_at = ${damage.lastModifiedAt}
        AND json_extract(metadata, ${damage.notedAt}) IS NULL`,
    auditEntryIfChanged({
      atMs: nowMs,
      actorId: null,
      action: damage.action,
      target: key,
      result: "done",
      reason: damage.problem,
      after: damage.metadata,
    }),
    notificationEventIfChanged(
      {
        type: "file_damaged",
        subject: key,
        title: `Stored file damaged: ${name}`,
        body: `${damage.problem} Its key is ${key}.`,
        link: `/files?search=${encodeURIComponent(key)}`,
      },
      nowMs,
    ),
  ]);
  return (change?.changes ?? 0) > 0;
}
