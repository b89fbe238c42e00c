import { clockTime } from "#contract/clock-time.ts";
import { sql } from "#service/db/sql.ts";
import {
  betterWithheld,
  chooseRendition,
  renditionLabel,
} from "#service/source/rendition-choice.ts";
import { judgeEnd, TAIL_MS } from "#service/source/broadcast-end.ts";
import type { SourceContent, SourceItem, Rendition } from "#service/source/source.ts";
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
import { archiveFilename, archiveKeys, type ArchiveKeys } from "#service/storage/object-keys.ts";
import { batchUnderLease } from "#service/storage/lease.ts";
import { storeManifest } from "#service/storage/manifest.ts";
import { askStore } from "#service/storage/multipart.ts";
import { readStored } from "#service/storage/read-stored.ts";
import { AwaitGrowth, StartOver, TryLater, ArchiveFailed } from "#service/storage/run-end.ts";
import {
  coversPart,
  namesOfPart,
  planPart,
  playlistOfPart,
  type PlannedPart,
} from "./archive-part.ts";
import { askSource, isGone, notePresence } from "./source-answer.ts";
import { OutdatedAddress, SourceError } from "#service/source/source-error.ts";

/** Enough to keep up with a broadcast: its playlist is read once for a minute of new media. */
export const GROWTH_POLL_MS = 60_000;

/** What the playlist of a broadcast that ended longer ago lacks will not follow. */
const RECENT_MS = 24 * 3_600_000;

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
  const { row, part: wanted } = run;
  const { source, reference, signal } = run;
  const { item, playback, rendition, playlist } = await askSource(run, "end run", async () => {
    const described = namesOfPart(await source.describe(reference, signal), wanted);
    await notePresence(run);
    run.progress.touch();
    const opened = await source.open(reference, signal);
    run.progress.touch();
    const chosen = chooseRendition(opened, row.quality);
    const listed = await source.list(chosen, signal);
    return { item: described, playback: opened, rendition: chosen, playlist: listed };
  });
  const part = wanted === null ? undefined : (planPart(playlist, wanted) ?? "unreached");
  const units = part === "unreached" ? [] : plannedUnits(playlist, part);
  if (part === "unreached" || units.length === 0) {
    if (item.isRecording || !playlist.isEnded) throw new AwaitGrowth(GROWTH_POLL_MS);
    throw new TryLater(
      "source",
      wanted === null
        ? "The VOD's playlist lists no segments yet."
        : `The VOD's playlist ends before ${clockTime(wanted.startSec)}, where this part begins.`,
    );
  }
  return {
    version: part === undefined ? 1 : 2,
    uploadId: row.id,
    container: containerOf(playlist),
    rights: row.rights,
    ...(row.consent_text_version === null ? {} : { consentTextVersion: row.consent_text_version }),
    source: {
      kind: row.kind,
      reference: run.reference,
      vodId: item.id,
      ...(await ownerOf(run, item)),
      title: item.title,
      fileStem: item.fileStem,
      createdAt: item.createdAt.toISOString(),
      durationSec: item.durationSec,
      broadcastId: item.broadcastId,
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
    ...(part === undefined ? {} : { part }),
    targetDurationSec: playlist.targetDurationSec,
    ...(coversPart({ part, units: [...units] })
      ? { end: "final" }
      : endAtPlanning(run, item, playlist)),
    units: [...units],
  };
}

/** What a new plan says of its end. */
function endAtPlanning(
  { source, context }: ArchiveRun,
  item: SourceItem,
  playlist: SourceContent,
): Pick<ArchiveManifest, "end" | "grownAt"> {
  if (source.readEnd === undefined) return { end: "final" };
  const nowMs = context.platform.clock.now();
  const endMs = item.createdAt.getTime() + (item.durationSec ?? 0) * 1_000;
  const judged = judgeEnd({
    witnesses: [playlist.isEnded ? "ended" : "live", item.isRecording ? "live" : "ended"],
    playlistSec: totalDurationSec(unitsOf(playlist)),
    statedSec: item.durationSec,
    silentForMs: 0,
  });
  // Just after the end, playlist and stated duration may be outdated alike: they are read again.
  const end = judged === "final" && nowMs - endMs < TAIL_MS ? "tail" : judged;
  // An old playlist is read once more, but not waited for.
  return { end, grownAt: end === "tail" && nowMs - endMs > RECENT_MS ? endMs : nowMs };
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
export function plannedUnits(
  playlist: SourceContent,
  part: PlannedPart | undefined,
): readonly ArchiveUnit[] {
  const segments = playlist.isEnded ? playlist.segments : playlist.segments.slice(0, -1);
  return unitsOf(playlistOfPart({ ...playlist, segments }, part));
}

/** Stores the plan, then records its key and summary in the upload's row. */
export async function savePlan(run: ArchiveRun, manifest: ArchiveManifest): Promise<void> {
  const { platform } = run.context;
  const keys = keysOf(run.row, manifest);
  await storeManifest(run, keys.manifest, manifest);
  // A run that was abandoned meanwhile has ended its lease, which keeps its epoch.
  run.signal.throwIfAborted();
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
      source_bytes = ${estimatedBytes(manifest)}, source_bytes_estimated = 1,
      is_live = ${Number(manifest.end === "live")}
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
 * Opens the item again for a unit that is absent, and adopts new names (muting renames segments and
 * their playlist). Units before `fromUnit` are already stored and stay unchanged.
 * @throws {StartOver} when the recording was re-cut
 */
export async function refreshPlan(
  run: ArchiveRun,
  manifest: ArchiveManifest,
  fromUnit: number,
): Promise<"alive" | "gone"> {
  let playlist: SourceContent;
  try {
    playlist = await askSource(run, "stay", () => reopen(run, manifest));
  } catch (error) {
    if (isGone(error)) return "gone";
    throw error;
  }
  const later = unitsOf(playlistOfPart(playlist, manifest.part));
  if (!continues(manifest.units, later)) throw new StartOver("The source was re-cut");
  const isRenamed = takeNames(run, manifest, later, fromUnit);
  if (isRenamed) await storeManifest(run, keysOf(run.row, manifest).manifest, manifest);
  return "alive";
}

/** Finds the planned rendition's address again, notes it in the plan and reads its playlist. */
export async function reopen(
  run: ArchiveRun,
  { rendition }: ArchiveManifest,
): Promise<SourceContent> {
  const { source, reference, signal, progress } = run;
  const { renditions } = await source.open(reference, signal);
  await notePresence(run);
  progress.touch();
  const found = renditions.find(({ name }) => name === rendition.name);
  rendition.playlistUrl = found?.playlistUrl ?? rendition.playlistUrl;
  return await listPlanned(run, rendition, renditions);
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
 * The present content of the planned rendition. `offered` is what the source offers now.
 *
 * A source may remove one rendition and keep others: then the media host has no playlist of it, but
 * one of another. That is noted in `planned`. What was copied is kept; if nothing was, the copy starts
 * over with another rendition.
 * @throws {ArchiveFailed} `gone_at_source`, or {@link StartOver}, when the rendition was removed
 * @throws {SourceError}
 */
async function listPlanned(
  { source, signal, progress }: ArchiveRun,
  planned: ArchiveManifest["rendition"],
  offered: readonly Rendition[],
): Promise<SourceContent> {
  try {
    return await source.list(planned, signal);
  } catch (error) {
    if (!(error instanceof OutdatedAddress)) throw error;
    for (const other of offered) {
      if (other.name === planned.name || !(await isListed(other))) continue;
      planned.isRemoved = true;
      const what = renditionLabel(planned) ?? planned.name;
      if (progress.state.segmentsDone === 0)
        throw new StartOver(`${source.name} no longer has ${what}`);
      throw new ArchiveFailed("gone_at_source", `${source.name} no longer has ${what}.`, {
        cause: error,
      });
    }
    throw error;
  }

  async function isListed(rendition: Rendition): Promise<boolean> {
    try {
      await source.list(rendition, signal);
      return true;
    } catch (error) {
      if (error instanceof SourceError) return false;
      throw error;
    }
  }
}
