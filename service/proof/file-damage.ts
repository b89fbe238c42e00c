import type { ObjectKey } from "#contract/files.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { ServiceContext } from "#service/context.ts";
import { join, sql } from "#service/db/sql.ts";
import type { Write } from "#service/ports/database.ts";

/**
 * A damage mark is a finding of a scan or the scrub, with its time, in the file's metadata. It holds
 * until the same is found sound:
 *
 * | found                           | in the metadata                 | lifted by
 * |---------------------------------|---------------------------------|------------------------------
 * | the object is missing           | `foundSizeBytes`, 0             | a scan that finds its size
 * | it has another size             | `foundSizeBytes`                | a scan that finds its size
 * | the manifest is lost            | `manifestIsLost`                | a scrub that reads it
 * | a part has other bytes          | `damagedParts`                  | a scrub that finds its digest
 * | a part, the manifest unreadable | `unreadable`                    | a scrub that reads it
 *
 * A marked file is `partial`, with the latest `problem` in words. The last finding to be lifted gives
 * back the status before: an archive with gaps stays `partial`. Without an answer from our own store
 * nothing is found, and nothing is lifted.
 */
export type Subject = "size" | "manifest" | number;

export type Damage = {
  readonly subject: Subject;
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
  write: Write,
): Promise<boolean> {
  const nowMs = platform.clock.now();
  const metadata = JSON.stringify({
    ...damage.metadata,
    problem: damage.problem,
    problems: { [nameOf(damage.subject)]: damage.problem },
    problemFoundAt: new Date(nowMs).toISOString(),
  });
  const [change] = await write(
    recordedChange(
      sql`UPDATE files SET status = 'partial', metadata = json_patch(
          iif(${IS_MARKED}, metadata, json_insert(metadata, '$.statusBefore', status)), ${metadata})
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
        event: await eventOf(platform, key, "Stored file damaged", damage.problem),
      },
    ),
  );
  return (change?.changes ?? 0) > 0;
}

/**
 * Lifts what was found about these subjects, which are sound now, and tells administrators when the
 * file is whole again. Does nothing to a file without a mark; repeating is safe.
 */
export async function liftDamage(
  { platform, log }: ServiceContext,
  key: ObjectKey,
  subjects: readonly Subject[],
  write: Write,
): Promise<void> {
  const nowMs = platform.clock.now();
  // Bytes of the right size may still be others.
  const readFirst = subjects.includes("size") ? sql`, verified_at = 0, verify_part = 1` : sql``;
  const [, , change] = await write([
    sql`UPDATE files SET metadata = json_remove(metadata, ${join(
      subjects.flatMap(pathsOf).map((path) => sql`${path}`),
      ", ",
    )}) WHERE object_key = ${key} AND ${IS_MARKED}`,
    sql`UPDATE files SET metadata = json_set(metadata, '$.problem', (
        SELECT value FROM json_each(metadata, '$.problems') ORDER BY id DESC LIMIT 1))
      WHERE object_key = ${key} AND json_extract(metadata, '$.problems') <> '{}'`,
    ...recordedChange(
      // Marks of earlier versions lack the status before.
      sql`UPDATE files SET status = coalesce(json_extract(metadata, '$.statusBefore'), iif(EXISTS (
            SELECT 1 FROM uploads u WHERE u.id = files.upload_id AND u.status = 'completed'),
            'complete', 'partial')),
          metadata = json_remove(metadata, '$.problem', '$.problems', '$.problemFoundAt',
            '$.statusBefore', '$.damagedParts', '$.unreadable')
          ${readFirst}
        WHERE object_key = ${key} AND ${IS_MARKED}
          AND json_extract(metadata, '$.foundSizeBytes') IS NULL
          AND json_extract(metadata, '$.manifestIsLost') IS NULL
          AND coalesce(json_extract(metadata, '$.damagedParts'), '{}') = '{}'
          AND coalesce(json_extract(metadata, '$.unreadable'), '{}') = '{}'`,
      nowMs,
      {
        audit: { actorId: null, action: "file.recover", target: key },
        event: {
          ...(await eventOf(
            platform,
            key,
            "Stored file sound again",
            "What was found damaged is in the store again, as it was archived.",
          )),
          cause: "sound_again",
        },
      },
    ),
  ]);
  if ((change?.changes ?? 0) > 0) log.info("A stored file is sound again", { key });
}

const IS_MARKED = sql`status = 'partial' AND json_extract(metadata, '$.problem') IS NOT NULL`;

function nameOf(subject: Subject): string {
  return typeof subject === "number" ? `part${subject}` : subject;
}

function pathsOf(subject: Subject): readonly string[] {
  const name = nameOf(subject);
  const found =
    typeof subject === "number"
      ? `$.damagedParts."${subject}"`
      : { size: "$.foundSizeBytes", manifest: "$.manifestIsLost" }[subject];
  return [found, `$.unreadable.${name}`, `$.problems.${name}`];
}

async function eventOf(
  { database }: ServiceContext["platform"],
  key: ObjectKey,
  title: string,
  sentence: string,
) {
  const [named] = await database.all(
    sql`SELECT coalesce(json_extract(metadata, '$.title'), filename) AS name FROM files
      WHERE object_key = ${key}`,
  );
  return {
    type: "file_damaged",
    subject: key,
    title: `${title}: ${named?.name ?? key.slice(key.lastIndexOf("/") + 1)}`,
    body: `${sentence} Its key is ${key}.`,
    link: `/files?search=${encodeURIComponent(key)}`,
  } as const;
}
