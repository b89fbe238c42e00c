import { shortfallText } from "#contract/shortfall.ts";
import { type BroadcastState, judgeEnd, TAIL_MS } from "#service/source/broadcast-end.ts";
import { OutdatedAddress, SourceError } from "#service/source/source-error.ts";
import type { EndReport, SourceContent } from "#service/source/source.ts";
import { storeManifest } from "#service/storage/manifest.ts";
import { AwaitGrowth, StartOver } from "#service/storage/run-end.ts";
import { continues, totalDurationSec, unitsOf, type ArchiveManifest } from "./archive-manifest.ts";
import { coversPart, playlistOfPart } from "./archive-part.ts";
import { GROWTH_POLL_MS, keysOf, plannedUnits, reopen, savePlan } from "./archive-plan.ts";
import type { ArchiveRun } from "./archive-run.ts";
import { findShortfall } from "./stated-duration.ts";
import { askSource, asRunEnd, isGone, noteAbsence, notePresence } from "./source-answer.ts";

/**
 * Checks whether anything follows the plan. Called when every planned unit is copied.
 * - `whole`: nothing does (broadcast-end.ts).
 * - `grown`: there are more units, now added to `manifest`.
 * - `cut_off`: the source no longer has the broadcast, whose end was not seen.
 * @throws {AwaitGrowth} when more may follow
 */
export async function confirmEnd(
  run: ArchiveRun,
  manifest: ArchiveManifest,
): Promise<"whole" | "grown" | "cut_off"> {
  delete manifest.isCutOff;
  // Items of a source that reports no ends never grow.
  if (manifest.end === "final" || run.source.readEnd === undefined) return "whole";
  const { clock } = run.context.platform;
  const dueInMs = (manifest.grownAt ?? 0) + GROWTH_POLL_MS - clock.now();
  if (dueInMs > 0)
    throw new AwaitGrowth(Math.min(dueInMs, GROWTH_POLL_MS), reasonToWait(run, manifest));
  const playlist = await readFurther(run, manifest);
  if (playlist === "gone") return cutOff(manifest);
  return await compare(run, manifest, playlist);
}

async function compare(
  run: ArchiveRun,
  manifest: ArchiveManifest,
  playlist: SourceContent,
): Promise<"whole" | "grown" | "cut_off"> {
  const nowMs = run.context.platform.clock.now();
  const all = unitsOf(playlistOfPart(playlist, manifest.part));
  if (!continues(manifest.units, all)) throw new StartOver("The source was re-cut");
  const isFirstLook = manifest.grownAt === undefined;
  const sure = plannedUnits(playlist, manifest.part);
  if (isFirstLook || sure.length > manifest.units.length) manifest.grownAt = nowMs;
  const silentForMs = nowMs - (manifest.grownAt ?? nowMs);
  let isAbsent = false;
  if (coversPart({ part: manifest.part, units: [...sure] })) manifest.end = "final";
  else if (playlist.isEnded || silentForMs >= TAIL_MS) {
    const report = await readEnd(run, manifest);
    manifest.end = endNow(manifest, playlist, report, silentForMs);
    manifest.source.durationSec = report.durationSec ?? manifest.source.durationSec;
    isAbsent = report.existence === "absent";
  } else manifest.end = "live";
  const further = manifest.end === "final" ? all : sure;
  if (further.length > manifest.units.length) {
    manifest.units.push(...further.slice(manifest.units.length));
    await savePlan(run, manifest);
    return "grown";
  }
  if (manifest.end === "final") return "whole";
  const isStopped = manifest.end === "live" && silentForMs >= TAIL_MS;
  if (isStopped && isAbsent && (await noteAbsence(run)).kind === "gone") return cutOff(manifest);
  if (isFirstLook) await storeManifest(run, keysOf(run.row, manifest).manifest, manifest);
  throw new AwaitGrowth(
    GROWTH_POLL_MS,
    manifest.end === "live" && playlist.isEnded
      ? `The playlist is marked as ended, but ${run.source.name} does not confirm it yet.`
      : reasonToWait(run, manifest),
  );
}

function endNow(
  { units }: ArchiveManifest,
  playlist: SourceContent,
  report: EndReport,
  silentForMs: number,
): BroadcastState {
  return judgeEnd({
    witnesses: [playlist.isEnded ? "ended" : "live", ...report.witnesses],
    // An outdated copy of the playlist may be shorter than the plan.
    playlistSec: Math.max(totalDurationSec(unitsOf(playlist)), totalDurationSec(units)),
    statedSec: report.durationSec,
    silentForMs,
  });
}

/** A broadcast ends as cut off if its media stop while nobody has it and no end was seen. */
function cutOff(manifest: ArchiveManifest): "cut_off" {
  manifest.isCutOff = true;
  return "cut_off";
}

/** Asks for another address only when the playlist does not answer: a hidden item has none. */
async function readFurther(
  run: ArchiveRun,
  manifest: ArchiveManifest,
): Promise<SourceContent | "gone"> {
  let refusal: unknown;
  try {
    return await askSource(run, "stay", async () => {
      try {
        return await run.source.list(manifest.rendition, run.signal);
      } catch (error) {
        refusal = error;
        if (!(error instanceof SourceError)) throw error;
      }
      return await reopen(run, manifest);
    });
  } catch (error) {
    if (!isGone(error)) throw error;
    if (refusal instanceof SourceError && !(refusal instanceof OutdatedAddress))
      throw asRunEnd(refusal);
    return "gone";
  }
}

/** Why a broadcast that has ended is still waited for. */
function reasonToWait({ source }: ArchiveRun, manifest: ArchiveManifest): string | null {
  if (manifest.end !== "tail") return null;
  const shortfall = findShortfall(manifest);
  return shortfall === null
    ? `The broadcast has ended. Its last segments may still appear.`
    : `${shortfallText(shortfall, source.name)}. The rest may still appear.`;
}

async function readEnd(
  run: ArchiveRun,
  { source: { reference, ownerId, broadcastId } }: ArchiveManifest,
): Promise<EndReport> {
  const { source, signal } = run;
  const report = await askSource(
    run,
    "stay",
    async () => source.readEnd?.({ reference, ownerId, broadcastId }, signal) ?? UNKNOWN_END,
  );
  if (report.existence === "present") await notePresence(run);
  return report;
}

const UNKNOWN_END: EndReport = { witnesses: [], durationSec: null, existence: "unanswered" };
