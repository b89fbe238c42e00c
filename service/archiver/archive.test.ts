import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openArchiveWorld, type ArchiveWorld } from "#service/testing/archive-world.ts";
import { createArchiver } from "./archiver.ts";

describe("an archive", () => {
  let world: ArchiveWorld;
  beforeAll(async () => {
    world = await openArchiveWorld();
  });
  afterAll(() => world.close());

  it.each([
    ["MPEG-TS", { container: "ts" }],
    ["fragmented MP4", { container: "fmp4" }],
    ["fragmented MP4 with a new init section half way", { container: "multi-init-fmp4" }],
    ["byte ranges into one file", { byteRangePlaylist: true }],
    ["names with offsets", { startOffsetPlaylist: true }],
    ["muted segments", { muted: [1, 2] }],
    ["several parts", { segmentCount: 12, segmentSizeBytes: [3_000_000, 100_000, 9_000_000] }],
    ["segments larger than a part", { segmentCount: 3, segmentSizeBytes: 20_000_000 }],
    ["one tiny segment", { segmentCount: 1, segmentSizeBytes: 188 }],
  ] as const)("of %s is identical to its source", async (_, vodOf) => {
    const { vodId, uploadId } = await world.addVod({ segmentCount: 6, ...vodOf });
    const upload = await world.archiveToEnd(uploadId);
    expect(upload).toMatchObject({ status: "completed", errorMessage: null, progress: 100 });
    expect(upload.debugInfo.progressHistory.at(-1)).toMatchObject({ percentage: 100 });
    expect(await world.holdsVod(upload, vodId)).toBe(true);
    const lines = world
      .log()
      .split("\n")
      .filter((line) => line.includes(`"vodId":"${vodId}"`));
    expect(lines).toEqual([
      expect.stringContaining('"An archive begins"'),
      expect.stringContaining(`"An upload completed","meta":{"uploadId":"${uploadId}"`),
    ]);
    expect(lines[1]).toMatch(/"sizeBytes":\d+,"tookSec":\d+/);
  });

  it("does not end early if the first playlist response is truncated", async () => {
    const vod = await world.twitch.control.addVod({ segmentCount: 4, segmentSizeBytes: 10_000 });
    let readings = 0;
    const archiver = createArchiver(world.context, {
      twitch: {
        ...world.source,
        async list(rendition, signal) {
          const whole = await world.source.list(rendition, signal);
          readings += 1;
          return readings === 1 ? { ...whole, segments: whole.segments.slice(0, 2) } : whole;
        },
      },
    });
    const upload = await world.archiveToEnd(await world.addUpload(vod.id), archiver);
    expect(upload.status).toBe("completed");
    expect(await world.holdsVod(upload, vod.id)).toBe(true);
  });
});
