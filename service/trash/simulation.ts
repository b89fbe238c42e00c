import * as z from "zod/mini";
import type { BodyOf, DataOf } from "#contract/call.ts";
import { type Retention, retentionSchema } from "#contract/channel-rules.ts";
import { objectKeySchema } from "#contract/files.ts";
import { MAX_SIMULATED_FILES } from "#contract/limits.ts";
import { KEPT_REASONS, type simulateRetention } from "#contract/trash.ts";
import { ApiError } from "#service/api-error.ts";
import type { ServiceContext } from "#service/context.ts";
import { archiveCost } from "#service/costs/archive-cost.ts";
import { instantColumn } from "#service/db/columns.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";
import { toHex } from "#service/secrets/hex.ts";
import {
  findRemovableFiles,
  mayRemove,
  proposedRetention,
  type RemovableFile,
} from "./removable-files.ts";

/** What a retention set by `authorId` would move to the trash now. Changes nothing. */
export async function simulate(
  { platform: { database, clock } }: ServiceContext,
  { channelId, retention }: BodyOf<typeof simulateRetention>,
  authorId: string,
): Promise<DataOf<typeof simulateRetention>> {
  const proposed = proposedRetention(channelId ?? null, retention, authorId);
  const found = await findRemovableFiles(database, proposed, clock.now());
  const files = found.files.filter(({ trashUntilMs }) => trashUntilMs === null);
  const removed = files.filter(({ heldBy }) => heldBy === null);
  const sizeBytes = removed.reduce((sum, file) => sum + file.sizeBytes, 0);
  return {
    files: removed.length,
    sizeBytes,
    usdPerMonth: archiveCost(sizeBytes, null).storageUsdPerMonth,
    lastCopies: removed.filter(({ isLastCopy }) => isLastCopy).length,
    removed: await readListed(database, removed.slice(0, MAX_SIMULATED_FILES)),
    kept: KEPT_REASONS.flatMap((reason) => {
      const held = files.filter(({ heldBy }) => heldBy === reason).length;
      const count = held + (found.kept.get(reason) ?? 0);
      return count === 0 ? [] : [{ reason, files: count }];
    }),
    digest: await digestOf(files),
  };
}

const listedRow = z.object({
  title: z.nullable(z.string()),
  channel: z.nullable(z.string()),
  recordedAt: instantColumn,
});

/** Those of the files that are still there. */
async function readListed(
  database: Database,
  files: readonly RemovableFile[],
): Promise<DataOf<typeof simulateRetention>["removed"]> {
  const seqs = JSON.stringify(files.map(({ seq }) => seq));
  const rows = await database.all(sql`
    SELECT f.seq, json_extract(f.metadata, '$.title') AS title, u.display_name AS channel,
      f.recorded_at AS recordedAt
    FROM files f LEFT JOIN users u ON u.id = f.user_id
    WHERE f.seq IN (SELECT value FROM json_each(${seqs}))`);
  const listed = new Map(rows.map((row) => [row["seq"], listedRow.parse(row)]));
  return files.flatMap(({ seq, key, sizeBytes, isLastCopy }) => {
    const found = listed.get(seq);
    if (found === undefined) return [];
    const { title, channel, recordedAt } = found;
    return [{ key: objectKeySchema.parse(key), title, channel, sizeBytes, recordedAt, isLastCopy }];
  });
}

/**
 * Call before a retention is saved: whoever sets it has to know what it removes. `channelId` is null
 * for the default. What only a pause or an unread store holds back for now counts as removed.
 * @throws {ApiError} forbidden (the author may not delete uploads), conflict (`digest` is not that of a
 *   simulation with the same files)
 */
export async function assertSimulated(
  { platform: { database, clock } }: ServiceContext,
  channelId: string | null,
  retention: Retention,
  digest: string | undefined,
  authorId: string,
): Promise<void> {
  if (retention.keep === "all") return;
  const [author] = await database.all(sql`SELECT ${mayRemove(sql`${authorId}`)} AS may_remove`);
  if (author?.may_remove !== 1)
    throw new ApiError("forbidden", "A rule that removes files needs the right to delete uploads.");
  const proposed = proposedRetention(channelId, retention, authorId);
  const found = await findRemovableFiles(database, proposed, clock.now());
  const files = found.files.filter(({ trashUntilMs }) => trashUntilMs === null);
  if (files.length === 0) return;
  if (digest === (await digestOf(files))) return;
  throw new ApiError(
    "conflict",
    digest === undefined
      ? "This rule would move files to the trash. Look at the list of these files first."
      : "Other files would go to the trash than those on the list. Look at the new list first.",
  );
}

export function isSameRetention(one: Retention, other: Retention): boolean {
  return (
    JSON.stringify(retentionSchema.parse(one)) === JSON.stringify(retentionSchema.parse(other))
  );
}

/** Of the keys that go as soon as nothing holds back all of them. */
async function digestOf(files: readonly RemovableFile[]): Promise<string> {
  const keys = files.map(({ key }) => key).toSorted();
  const text = new TextEncoder().encode(keys.join("\n"));
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", text)));
}
