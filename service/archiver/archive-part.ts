import type { Chapter } from "#contract/files.ts";
import { partText, type Part } from "#contract/part.ts";
import type { SourceContent, SourceItem } from "#service/source/source.ts";
import { totalDurationSec, type ArchiveManifest } from "./archive-manifest.ts";

/** A part as its plan has it: it begins with the segment in which its first second lies. */
export type PlannedPart = NonNullable<ArchiveManifest["part"]>;

/** Segments that reach into a part by less are not of it; sums of durations are that inexact. */
const EDGE_SEC = 0.05;

/** Null if the playlist does not reach the part. */
export function planPart(playlist: SourceContent, part: Part): PlannedPart | null {
  let atSec = 0;
  for (const { index, durationSec } of playlist.segments) {
    if (atSec + durationSec > part.startSec + EDGE_SEC)
      return { ...part, beginsAtSec: atSec, firstSegment: index };
    atSec += durationSec;
  }
  return null;
}

/** The playlist with the segments of the part only; without a part, as it is. */
export function playlistOfPart(
  playlist: SourceContent,
  part: PlannedPart | undefined,
): SourceContent {
  if (part === undefined) return playlist;
  let atSec = part.beginsAtSec;
  const segments = playlist.segments
    .filter(({ index }) => index >= part.firstSegment)
    .filter(({ durationSec }) => {
      const isInside = atSec < part.endSec - EDGE_SEC;
      atSec += durationSec;
      return isInside;
    });
  return { ...playlist, segments };
}

/** Whether the units reach the end of the part, so that nothing of it will follow. */
export function coversPart({ part, units }: Pick<ArchiveManifest, "part" | "units">): boolean {
  return part !== undefined && part.beginsAtSec + totalDurationSec(units) >= part.endSec - EDGE_SEC;
}

/** An item of which only a part is archived says so in its title and in the name of its file. */
export function namesOfPart<Names extends Pick<SourceItem, "title" | "fileStem">>(
  names: Names,
  part: Part | null,
): Names {
  if (part === null) return names;
  const { startSec, endSec } = part;
  const text = partText(part);
  return {
    ...names,
    title: `${text.charAt(0).toUpperCase()}${text.slice(1)} of ${names.title}`,
    fileStem: `${names.fileStem}-${startSec}-${endSec}`,
  };
}

/** Chapters of the VOD, at their times in the part. */
export function chaptersOfPart(
  chapters: readonly Chapter[],
  { beginsAtSec, endSec }: Pick<PlannedPart, "beginsAtSec" | "endSec">,
): readonly Chapter[] {
  const first = chapters.findLastIndex(({ startSec }) => startSec <= beginsAtSec);
  return chapters
    .slice(Math.max(0, first))
    .filter(({ startSec }) => startSec < endSec)
    .map((each) => ({ ...each, startSec: Math.max(0, each.startSec - beginsAtSec) }));
}
