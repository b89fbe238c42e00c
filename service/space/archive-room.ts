import { formatBytes } from "#contract/format-bytes.ts";
import type { UploadId } from "#contract/ids.ts";
import { isPast } from "#service/db/due-time.ts";
import { sql } from "#service/db/sql.ts";
import type { Platform } from "#service/platform.ts";
import { TryLater } from "#service/storage/run-end.ts";
import { readObjectsDisk, roomIn, type SpaceContext } from "./disk-space.ts";

/**
 * Admits archives to the disk by what they still have to store, so that two which each fit alone do
 * not fill it together and then wait for each other. Sizes are estimates until the end of a copy;
 * the store's guard (guard-objects.ts) keeps the reserve whatever they are.
 *
 * - Before it copies, an archive has to fit beside what all running ones still have to store.
 * - While it copies, it makes room for those nearer their end, which then go on.
 */
/** Call under the archive's lease. @throws {TryLater} if it has to wait for room on the disk */
export async function requireRoom(
  context: SpaceContext & { readonly platform: Pick<Platform, "database" | "clock"> },
  uploadId: UploadId,
  step: "before copying" | "while copying",
): Promise<void> {
  const disk = await readObjectsDisk(context);
  if (disk === null) return;
  const { database, clock } = context.platform;
  const isAhead = sql`(o.rest, o.seq) < (own.rest, own.seq)`;
  const counts =
    step === "before copying"
      ? sql`(o.phase <> 'planning' OR ${isAhead})`
      : sql`o.phase <> 'planning' AND ${isAhead}`;
  const [row] = await database.all(sql`
    WITH running AS (SELECT id, seq, phase, max(0, coalesce(source_bytes, 0) - stored_bytes) AS rest
      FROM uploads WHERE status = 'processing' AND NOT ${isPast(sql`lease_until`, clock.now())})
    SELECT own.rest, coalesce(sum(o.rest), 0) AS others
    FROM running own LEFT JOIN running o ON o.id <> own.id AND ${counts}
    WHERE own.id = ${uploadId} GROUP BY own.id`);
  const restBytes = Number(row?.rest ?? 0);
  const othersBytes = Number(row?.others ?? 0);
  // Alone, an archive goes on up to the reserve.
  if (step === "while copying" && othersBytes === 0) return;
  const roomBytes = roomIn(disk);
  if (restBytes + othersBytes <= roomBytes) return;
  const rest = `the ${formatBytes(restBytes)} that this archive still needs`;
  throw new TryLater(
    "room",
    restBytes > roomBytes
      ? `The disk has no room for ${rest}.`
      : `The disk has no room for ${rest} beside the archives that are running.`,
  );
}
