import * as z from "zod/mini";
import type { ServiceContext } from "#service/context.ts";
import { isPast } from "#service/db/due-time.ts";
import { sql } from "#service/db/sql.ts";
import type { ObjectHead, ObjectStore } from "#service/ports/object-store.ts";
import { isOnRecord, OBJECT_PREFIXES, ownerOfKey } from "#service/storage/key-owner.ts";
import { markMismatches } from "./missing-files.ts";
import { markOrphans } from "./orphaned-files.ts";

/**
 * Compares the store's listing with the index, page by page, so that a stop loses at most one page
 * and no step takes long. It marks what it finds and never deletes an object:
 *
 * - **orphaned**: an object that the database does not account for. Two scans have to find it
 *   unchanged. The statement that marks it checks again that
 *   it has no owner.
 * - **missing**: a file whose object is gone in two scans, each confirmed by a request for it.
 * - **partial**: a file whose object has a different size than was proved.
 *
 * Every object of an upload is recorded before it is written to the store, so that a running upload
 * cannot look like an orphan in either scan.
 */

/**
 * The pause between scans: orphans are found within about an hour, and listing a million objects
 * costs 0.15 USD a day.
 */
const SCAN_EVERY_MS = 30 * 60_000;

const scanRow = z.object({
  number: z.number(),
  prefix: z.number(),
  cursor: z.nullable(z.string()),
  afterKey: z.string(),
});
type Scan = z.infer<typeof scanRow>;

/**
 * Compares the next page, if one is due. Returns whether another one is due at once. If two hosts
 * call it at the same time, they compare the same page, which is harmless.
 */
export async function reconcilePage(context: ServiceContext): Promise<boolean> {
  const { database, objects, clock } = context.platform;
  const nowMs = clock.now();
  const [found] = await database.all(sql`
    SELECT scan_number AS number, scan_prefix AS prefix, scan_cursor AS cursor,
      scan_after_key AS afterKey
    FROM deployment WHERE ${isPast(sql`scan_next_at`, nowMs)}`);
  if (found === undefined) return false;
  const scan = scanRow.parse(found);
  const prefix = OBJECT_PREFIXES[scan.prefix];
  if (prefix === undefined) {
    await endScan(context, scan);
    return false;
  }
  const page = await objects.list({
    prefix,
    ...(scan.cursor === null ? {} : { cursor: scan.cursor }),
  });
  const afterKey = scan.afterKey === "" ? prefix : scan.afterKey;
  const lastKey = page.objects.at(-1)?.key ?? scan.afterKey;
  const isLastPage = page.cursor === null;
  // The last page of a prefix also covers files with later keys that were not listed.
  const untilKey = isLastPage ? `${prefix}\u{7f}` : lastKey;
  const heads = new Map(page.objects.map((head) => [head.key, head]));
  const recorded = await markMismatches(context, scan.number, heads, afterKey, untilKey);
  logForeignKeysOnce(context, prefix, page.foreignKeys ?? 0);
  const unknown = page.objects.filter((head) => !recorded.has(head.key));
  await classifyUnknown(context, scan, unknown);
  const next = isLastPage
    ? sql`scan_prefix = ${scan.prefix + 1}, scan_cursor = NULL, scan_after_key = ''`
    : sql`scan_cursor = ${page.cursor}, scan_after_key = ${lastKey}`;
  await database.run(sql`UPDATE deployment SET ${next} WHERE ${isAt(scan)}`);
  return true;
}

function isAt({ number, prefix, afterKey }: Scan) {
  return sql`scan_number = ${number} AND scan_prefix = ${prefix} AND scan_after_key = ${afterKey}`;
}

async function endScan({ platform }: ServiceContext, scan: Scan): Promise<void> {
  const nowMs = platform.clock.now();
  await platform.database.batch([
    // Objects that this scan did not see again are gone or have an owner now; files that it did not
    // miss again are there.
    sql`DELETE FROM scan_findings WHERE scan < ${scan.number}
      AND EXISTS (SELECT 1 FROM deployment WHERE ${isAt(scan)})`,
    sql`UPDATE deployment SET scan_number = scan_number + 1, scan_prefix = 0, scan_cursor = NULL,
      scan_after_key = '', scan_next_at = ${nowMs + SCAN_EVERY_MS}, scan_ended_at = ${nowMs} WHERE ${isAt(scan)}`,
  ]);
}

const findingRow = z.object({ scan: z.number(), version: z.string() });

/** Records unaccounted objects; those that an earlier scan recorded too are marked as orphaned. */
async function classifyUnknown(
  context: ServiceContext,
  scan: Scan,
  unknown: readonly ObjectHead[],
): Promise<void> {
  const { database, clock } = context.platform;
  const seenTwice: ObjectHead[] = [];
  for (const head of unknown) {
    const [row] = await database.all(sql`
      SELECT s.scan, s.version FROM (SELECT 1) LEFT JOIN scan_findings s
        ON s.object_key = ${head.key} AND s.kind = 'unowned'
      WHERE NOT ${isOnRecord(head.key, ownerOfKey(head.key))}`);
    if (row === undefined) continue;
    const version = `${head.tag} ${head.lastModifiedAt.getTime()}`;
    const finding = findingRow.safeParse(row);
    if (finding.success && finding.data.version === version) {
      if (finding.data.scan < scan.number) seenTwice.push(head);
      continue;
    }
    await database.run(sql`
      INSERT OR REPLACE INTO scan_findings (object_key, kind, scan, found_at, version)
      VALUES (${head.key}, 'unowned', ${scan.number}, ${clock.now()}, ${version})`);
  }
  await markOrphans(context, seenTwice);
}

/** Stores for which foreign names were already logged by this process. */
const loggedStores = new WeakSet<ObjectStore>();

/** Objects whose names are not valid keys take up room, but cannot be listed or deleted. */
function logForeignKeysOnce(
  { platform, log }: ServiceContext,
  prefix: string,
  count: number,
): void {
  if (count === 0 || loggedStores.has(platform.objects)) return;
  loggedStores.add(platform.objects);
  log.warn("The store holds objects whose names are not keys of Vodkeep; they are not listed", {
    prefix,
    atLeast: count,
  });
}
