import { ARCHIVE } from "./archive-model.ts";
import { createSeededRandom } from "../rigs/random.ts";
import { simulate, type Order, type Served, type Submission } from "./slice-simulation.ts";

const DAY_SEC = 86_400;

const SLICES = { sliceSec: ARCHIVE.copySec / ARCHIVE.slices, slices: ARCHIVE.slices };

export type Waits = {
  readonly medianSec: number;
  readonly p95Sec: number;
  readonly worstSec: number;
};

export const GREEDY = { places: 10, vods: 1_000, others: 20 } as const;

/**
 * One channel asks for a thousand VODs at once; twenty others for one each, at any time of that day.
 * How long do the others wait for their first byte, and how long for the whole?
 */
export function greedyChannel(order: Order) {
  const random = createSeededRandom(1);
  const submissions: Submission[] = [
    ...Array.from({ length: GREEDY.vods }, () => ({ atSec: 0, channel: "greedy" })),
    ...Array.from({ length: GREEDY.others }, (_, index) => ({
      atSec: Math.floor(random() * DAY_SEC),
      channel: `modest ${index}`,
    })),
  ];
  const served = simulate(submissions, order, { count: GREEDY.places, ...SLICES });
  const others = served.filter(({ channel }) => channel !== "greedy");
  const greedy = served.filter(({ channel }) => channel === "greedy");
  return {
    starts: waitsOf(others, ({ startedSec, atSec }) => startedSec - atSec),
    ends: waitsOf(others, ({ endedSec, atSec }) => endedSec - atSec),
    greedyEndsSec: Math.max(...greedy.map(({ endedSec }) => endedSec)),
  };
}

export const EVENING = { days: 7, share: 0.5, fromSec: 20 * 3_600, hours: 4 } as const;

/**
 * A week in which half of a day's archives are asked for in four hours of the evening, when
 * broadcasts end, and the rest at any time. Channels are many.
 */
export function eveningPeak(archivesPerDay: number, places: number) {
  const random = createSeededRandom(2);
  const submissions: Submission[] = Array.from(
    { length: EVENING.days * archivesPerDay },
    (_, index) => {
      const day = Math.floor(index / archivesPerDay);
      const ofDaySec =
        random() < EVENING.share
          ? EVENING.fromSec + random() * EVENING.hours * 3_600
          : random() * DAY_SEC;
      return { atSec: Math.floor(day * DAY_SEC + ofDaySec), channel: `channel ${index % 100}` };
    },
  );
  const served = simulate(submissions, "channels in turns", { count: places, ...SLICES });
  const weekEndSec = EVENING.days * DAY_SEC;
  return {
    starts: waitsOf(served, ({ startedSec, atSec }) => startedSec - atSec),
    ends: waitsOf(served, ({ endedSec, atSec }) => endedSec - atSec),
    openAtWeeksEnd: served.filter(({ endedSec }) => endedSec > weekEndSec).length,
  };
}

function waitsOf(served: readonly Served[], wait: (one: Served) => number): Waits {
  const sorted = served.map(wait).sort((one, other) => one - other);
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return { medianSec: at(0.5), p95Sec: at(0.95), worstSec: at(1) };
}
