import { vodSchema, type Vod } from "#contract/channel-vods.ts";
import { build } from "#contract/testing/build.ts";
import { ago } from "./ago.ts";

const STATES: readonly Partial<Vod>[] = [
  { state: "wanted", waitsFor: "The monthly budget is used up.", dangerAt: ago(-4_000) },
  { state: "copying", isGrowing: true },
  { state: "left_out", reason: "too_short" },
  { state: "lost" },
  { state: "stored", sourceChange: { kind: "gone", since: ago(9_000) } },
];

function buildVod(id: number, overrides: Partial<Vod>): Vod {
  return build(vodSchema, {
    id: `9${id}`,
    title: `Sunrise ${id}`,
    durationSec: 3_600 * id,
    recordedAt: ago(id * 1_440),
    sizeBytes: id * 3_000_000_000,
    upload:
      overrides.state === "copying" || overrides.state === "stored"
        ? { id: `up${id}`, progress: 42 }
        : null,
    fileKey: overrides.state === "stored" ? `vods/1/${id}.ts` : null,
    ...overrides,
  });
}

export const VODS = STATES.map((state, index) => buildVod(index + 1, state));
export const AMOUNT = {
  vods: 2,
  durationSec: 14_400,
  sizeBytes: 1.9 * 1024 ** 4,
  isRough: false,
  usdPerMonth: 28.4,
  copyUsd: 0,
};
