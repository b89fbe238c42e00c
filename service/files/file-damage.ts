import type { ObjectKey } from "#contract/files.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";

export type Damage = {
  /** One sentence for people. */
  readonly problem: string;
  /** Merged into the file's metadata, with the problem. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** SQLite JSON path in the metadata; a value there means that this damage is already recorded. */
  readonly notedAt: string;
  /** Version of the file that was checked; a newer one is not marked. */
  readonly lastModifiedAt: number;
  readonly action: "file.missing" | "file.damage";
};

/**
 * Marks a file as partial, records the problem in its metadata and notifies administrators. Returns
 * false if the file is gone, is newer, or already has this damage recorded.
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
    sql`SELECT coalesce(json_extract(metadata, '$.title'), filename) AS name FROM files
      WHERE object_key = ${key}`,
  );
  const name = named?.name ?? key.slice(key.lastIndexOf("/") + 1);
  const [change] = await platform.database.batch(
    recordedChange(
      sql`UPDATE files SET status = 'partial', metadata = json_patch(metadata, ${metadata})
      WHERE object_key = ${key} AND status IN ('complete', 'partial')
        AND last_modified_at = ${damage.lastModifiedAt}
        AND json_extract(metadata, ${damage.notedAt}) IS NULL`,
      nowMs,
      {
        audit: {
          actorId: null,
          action: damage.action,
          target: key,
          reason: damage.problem,
          after: damage.metadata,
        },
        event: {
          type: "file_damaged",
          subject: key,
          title: `Stored file damaged: ${name}`,
          body: `${damage.problem} Its key is ${key}.`,
          link: `/files?search=${encodeURIComponent(key)}`,
        },
      },
    ),
  );
  return (change?.changes ?? 0) > 0;
}
