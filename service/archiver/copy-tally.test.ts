import { expect, it } from "vitest";
import { timeRanges, type ArchiveManifest } from "./archive-manifest.ts";
import type { ProgressState } from "#service/storage/lease-run.ts";
import { createCopyTally } from "./copy-tally.ts";
import type { StoredUnit } from "#service/storage/checkpoint.ts";

function freshState(): ProgressState {
  return {
    phase: "copying",
    segmentsDone: 0,
    lastSegment: null,
    done: 0,
    total: 0,
    bytesDone: 0,
    segmentsTotal: null,
    durationTotalSec: null,
    estimatedBytes: null,
    mutedRanges: [],
    missingRanges: [],
    reachedPercentage: 0,
  };
}

function progressOf(state: ProgressState) {
  return { state, unitDone: () => undefined };
}

function planOf(segments: number): Pick<ArchiveManifest, "units" | "rendition"> {
  return {
    rendition: {
      name: "chunked",
      playlistUrl: "https://media.test/index.m3u8",
      bandwidthBitsPerSec: 8_000,
      codecs: null,
      resolution: null,
      framesPerSec: null,
    },
    units: Array.from({ length: segments }, (_, segment) => ({
      kind: "ts",
      url: `https://media.test/${segment}.ts`,
      byteRange: null,
      segment,
      durationSec: 1,
      startsDiscontinuity: false,
      isMuted: false,
      isGap: false,
    })),
  };
}

it("reads the plan of the longest possible VOD only a few times", () => {
  let reads = 0;
  const { units: planned, ...rest } = planOf(172_800);
  const plan = {
    ...rest,
    units: new Proxy(planned, {
      get(target, key) {
        if (key !== "length") reads += 1;
        return Reflect.get(target, key);
      },
    }),
  };
  const state = freshState();
  const units: StoredUnit[] = [];
  const tally = createCopyTally(progressOf(state), plan, units);
  for (let unit = 0; unit < plan.units.length; unit += 1) {
    units.push({ sizeBytes: 1_000, isMissing: unit % 2 === 1 });
    tally.unitDone();
  }
  // A scan for each unit would take minutes.
  expect(reads).toBeLessThan(10 * 172_800);
  expect(state).toMatchObject({ segmentsDone: 86_400, segmentsTotal: 172_800 });
  expect(state.missingRanges).toHaveLength(240);
  expect(state.missingRanges.at(-1)).toEqual({ startSec: 479, endSec: 172_800 });
});

it("recounts progress and missing ranges from the stored units", () => {
  const plan = planOf(6);
  const state = { ...freshState(), segmentsDone: 99, done: 99, bytesDone: 99 };
  const units = [true, true, false, true, true].map((isMissing) => ({ sizeBytes: 7, isMissing }));
  createCopyTally(progressOf(state), plan, units);
  expect(state).toMatchObject({ segmentsDone: 1, done: 5, bytesDone: 35 });
  expect(state.missingRanges).toEqual(
    timeRanges(plan.units, (_, index) => units[index]?.isMissing ?? false),
  );
});

it("names what is muted in a plan that an earlier run has stored", () => {
  const plan = planOf(3);
  const units = plan.units.map((unit, index) => ({ ...unit, isMuted: index > 0 }));
  const state = freshState();
  createCopyTally(progressOf(state), { ...plan, units }, []);
  expect(state.mutedRanges).toEqual(timeRanges(units, (unit) => unit.isMuted));
  expect(state.mutedRanges).toHaveLength(1);
});
