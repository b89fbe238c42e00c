import { sql } from "#service/db/sql.ts";
import { SourceError } from "#service/source/source-error.ts";
import {
  betterWithheld,
  chooseRendition,
  renditionLabel,
} from "#service/source/rendition-choice.ts";
import type { Playback, Rendition, SourceContent, SourceItem } from "#service/source/source.ts";
import type { ArchiveRow, ArchiveRun } from "./archive-run.ts";
import {
  containerOf,
  continues,
  decodeManifest,
  estimatedBytes,
  isFile,
  recordedAtMs,
  timeRanges,
  totalDurationSec,
  unitsOf,
  type ArchiveManifest,
  type ArchiveUnit,
} from "./archive-manifest.ts";
import { listPlanned } from "./planned-rendition.ts";
import { archiveFilename, archiveKeys, type ArchiveKeys } from "#service/storage/object-keys.ts";
import { batchUnderLease } from "#service/storage/lease.ts";
import { storeManifest } from "#service/storage/manifest.ts";
import { askStore } from "#service/storage/multipart.ts";
import { readStored } from "#service/storage/read-stored.ts";
import { ArchiveFailed, AwaitGrowth, StartOver, TryLater } from "#service/storage/run-outcome.ts";

/** The time of about two new segments: keeps up with a broadcast at little load on Twitch. */
const GROWTH_POLL_MS = 20_000;

/**
 * A playlist may end before its VOD does (docs/twitch.md#growing-vods). The end is final after this
 * many polls in a row found the VOD ended, not recording, and no longer than the plan.
 */
const AGREEING_POLLS = 2;

/** Returns the plan of an earlier run, or records a new one before the first byte is copied. */
export async function openPlan(run: ArchiveRun): Promise<ArchiveManifest> {
  const { row } = run;
  if (row.manifest_key !== null) {
    const key = row.manifest_key;
    const bytes = await askStore(run, (objects) => readStored(objects, key));
    const found = bytes === null ? null : decodeManifest(bytes);
    if (found !== null) return found;
    throw new StartOver("The plan is gone from the store");
  }
  const manifest = await plan(run);
  await savePlan(run, manifest);
  return manifest;
}

async function plan(run: ArchiveRun): Promise<ArchiveManifest> {
  const { row } = run;
  const { item, playback, rendition, playlist } = await askSource(run, null);
  const units = plannedUnits(playlist);
  if (units.length === 0) {
    if (item.isRecording || !playlist.isEnded) throw new AwaitGrowth(GROWTH_POLL_MS);
    throw new TryLater("source", "The VOD's playlist lists no segments yet.");
  }
  return {
    version: 1,
    uploadId: row.id,
    container: containerOf(playlist),
    rights: row.rights,
    source: {
      kind: row.kind,
      reference: run.reference,
      vodId: item.id,
      ...(await ownerOf(run, item)),
      title: item.title,
      fileStem: item.fileStem,
      createdAt: item.createdAt.toISOString(),
      durationSec: item.durationSec,
    },
    rendition: {
      name: rendition.name,
      playlistUrl: rendition.playlistUrl,
      bandwidthBitsPerSec: rendition.bandwidthBitsPerSec,
      codecs: rendition.codecs,
      resolution: rendition.resolution,
      framesPerSec: rendition.framesPerSec,
      quality: row.quality,
      withheld: betterWithheld(playback, rendition, row.quality),
    },
    targetDurationSec: playlist.targetDurationSec,
    agreeingPolls: playlist.isEnded && !item.isRecording ? 1 : 0,
    units: [...units],
  };
}

/** Falls back to the upload's owner, for a source without accounts. */
async function ownerOf({ context, row }: ArchiveRun, { owner }: SourceItem) {
  if (owner !== null)
    return { ownerId: owner.id, ownerLogin: owner.login, ownerDisplayName: owner.displayName };
  const [found] = await context.platform.database.all(
    sql`SELECT login, display_name FROM users WHERE id = ${row.owner_id}`,
  );
  return {
    ownerId: row.owner_id,
    ownerLogin: String(found?.login),
    ownerDisplayName: String(found?.display_name),
  };
}

/** Leaves out the newest segment of a growing broadcast, which may still get longer. */
function plannedUnits(playlist: SourceContent): readonly ArchiveUnit[] {
  const segments = playlist.isEnded ? playlist.segments : playlist.segments.slice(0, -1);
  return unitsOf({ ...playlist, segments });
}

/** Stores the plan, then records its key and summary in the upload's row. */
async function savePlan(run: ArchiveRun, manifest: ArchiveManifest): Promise<void> {
  const { platform } = run.context;
  const keys = keysOf(run.row, manifest);
  await storeManifest(run, keys.manifest, manifest);
  const { state } = run.progress;
  state.segmentsTotal = manifest.units.filter((unit) => unit.segment !== null).length;
  state.durationTotalSec = isFile(manifest) ? null : totalDurationSec(manifest.units);
  state.total = state.durationTotalSec ?? estimatedBytes(manifest);
  state.mutedRanges = timeRanges(manifest.units, (unit) => unit.isMuted);
  await batchUnderLease(platform.database, run.lease, [
    sql`UPDATE uploads SET object_key = ${keys.object}, manifest_key = ${keys.manifest},
      title = ${manifest.source.title}, recorded_at = ${recordedAtMs(manifest)},
      rendition = ${renditionLabel(manifest.rendition)},
      withheld_rendition = ${jsonOrNull(manifest.rendition.withheld)},
      filename = ${archiveFilename(manifest.source.fileStem, manifest.container)},
      source_bytes = ${estimatedBytes(manifest)}, source_bytes_estimated = 1
      WHERE id = ${run.row.id}`,
  ]);
  await run.progress.flush();
}

function jsonOrNull(value: object | null | undefined): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

export function keysOf(row: ArchiveRow, manifest: ArchiveManifest): ArchiveKeys {
  return archiveKeys(
    { ownerId: row.owner_id, vodId: row.vod_id, uploadId: row.id },
    manifest.container,
  );
}

/**
 * Reads the playlist again for a unit that is absent, and adopts new names (muting renames
 * segments). Units before `fromUnit` are already stored and stay unchanged.
 * @throws {StartOver} when the recording was re-cut
 */
export async function refreshPlan(
  run: ArchiveRun,
  manifest: ArchiveManifest,
  fromUnit: number,
): Promise<"alive" | "gone"> {
  let answer: SourceAnswer;
  try {
    answer = await askSource(run, manifest.rendition);
  } catch (error) {
    if (error instanceof ArchiveFailed && error.failureClass === "gone_at_source") return "gone";
    throw error;
  }
  const later = unitsOf(answer.playlist);
  if (!continues(manifest.units, later)) throw new StartOver("The source was re-cut");
  const isRenamed = takeNames(run, manifest, later, fromUnit);
  if (isRenamed) await storeManifest(run, keysOf(run.row, manifest).manifest, manifest);
  return "alive";
}

function takeNames(
  run: ArchiveRun,
  manifest: ArchiveManifest,
  later: readonly ArchiveUnit[],
  fromUnit: number,
): boolean {
  let isRenamed = false;
  for (let index = fromUnit; index < manifest.units.length; index += 1) {
    const unit = later[index];
    if (unit === undefined || unit.url === manifest.units[index]?.url) continue;
    manifest.units[index] = unit;
    isRenamed = true;
  }
  run.progress.state.mutedRanges = timeRanges(manifest.units, (unit) => unit.isMuted);
  return isRenamed;
}

/**
 * Checks whether the recording has ended. Called when every planned unit is copied.
 * - `settled`: it has ended and nothing was added.
 * - `grown`: there are more units, now added to `manifest`.
 * @throws {AwaitGrowth} when it continues, or another poll has to confirm the end
 */
export async function confirmEnd(
  run: ArchiveRun,
  manifest: ArchiveManifest,
): Promise<"settled" | "grown"> {
  if (manifest.agreeingPolls >= AGREEING_POLLS) return "settled";
  let answer: SourceAnswer;
  try {
    answer = await askSource(run, manifest.rendition);
  } catch (error) {
    // The VOD was deleted after every planned unit was copied.
    if (error instanceof ArchiveFailed && error.failureClass === "gone_at_source") return "settled";
    throw error;
  }
  const { item, playlist } = answer;
  const later = plannedUnits(playlist);
  if (!continues(manifest.units, later)) throw new StartOver("The source was re-cut");
  const hasEnded = playlist.isEnded && !item.isRecording;
  const hasGrown = later.length > manifest.units.length;
  if (hasGrown) {
    manifest.units.push(...later.slice(manifest.units.length));
    manifest.agreeingPolls = hasEnded ? 1 : 0;
    manifest.source.durationSec = item.durationSec;
  } else {
    manifest.agreeingPolls = hasEnded ? manifest.agreeingPolls + 1 : 0;
  }
  await savePlan(run, manifest);
  if (hasGrown) return "grown";
  if (manifest.agreeingPolls >= AGREEING_POLLS) return "settled";
  throw new AwaitGrowth(GROWTH_POLL_MS);
}

/** What the source reports about an item at one time. */
type SourceAnswer = {
  readonly item: SourceItem;
  readonly playback: Playback;
  readonly rendition: Rendition;
  readonly playlist: SourceContent;
};

/**
 * Reads the item, its renditions and a playlist: that of the planned rendition, or that of the
 * chosen rendition if there is no plan yet.
 * @throws {TryLater} {ArchiveFailed}
 */
async function askSource(
  run: ArchiveRun,
  planned: ArchiveManifest["rendition"] | null,
): Promise<SourceAnswer> {
  const { reference, source, signal } = run;
  try {
    const item = await source.describe(reference, signal);
    run.progress.touch();
    const playback = await source.open(reference, signal);
    run.progress.touch();
    const rendition = planned ?? chooseRendition(playback, run.row.quality);
    const playlist =
      planned === null
        ? await source.list(rendition, signal)
        : await listPlanned(run, planned, playback.renditions);
    run.progress.touch();
    return { item, playback, rendition, playlist };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (!(error instanceof SourceError)) throw error;
    run.progress.touch();
    if (error.failureClass === "try_later")
      throw new TryLater("source", error.message, {
        cause: error,
        retryAfterMs: error.retryAfterMs,
      });
    throw new ArchiveFailed(error.failureClass, error.message, { cause: error });
  }
}
