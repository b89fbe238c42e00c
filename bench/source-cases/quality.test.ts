import { describe, expect, it } from "vitest";
import type { Quality } from "#contract/quality.ts";
import type { CustomVod } from "#stand-ins/twitch/catalog/custom-vod.ts";
import { openSourceCases, whole } from "./source-case.ts";

const world = await openSourceCases();

const withheld1440p = { label: "1440p60", reason: "sign_in" };
const MEDIA = { segmentCount: 8, segmentSizeBytes: 2_000_000 };

/** The rendition that each choice has to give, by its folder at the source, and what is said of it. */
const CASES: readonly [string, CustomVod, Quality, string, string, object | null][] = [
  ["the best of all", {}, "best", "chunked", "720p30", null],
  ["a choice above the source", {}, "1080p", "chunked", "720p30", null],
  ["a choice below the source", {}, "480p", "360p30", "360p30", null],
  ["the sound alone", {}, "audio", "audio_only", "audio only", null],
  ["the best of several sizes", MEDIA, "best", "chunked", "1080p60", null],
  ["a choice below all others", MEDIA, "720p", "480p30", "480p30", null],
  ["the sound alone in fMP4", { container: "fmp4" }, "audio", "audio_only", "audio only", null],
  ["withheld source", { withheldSource: "landscape" }, "best", "720p60", "720p60", withheld1440p],
  [
    "withheld source beside a vertical crop that is marked as source",
    { withheldSource: "portrait" },
    "best",
    "720p60",
    "720p60",
    withheld1440p,
  ],
  [
    "a choice that the withheld source does not fit",
    { withheldSource: "landscape" },
    "720p",
    "720p60",
    "720p60",
    null,
  ],
  [
    "the sound alone while the source is withheld",
    { withheldSource: "portrait" },
    "audio",
    "audio_only",
    "audio only",
    null,
  ],
];

describe("the chosen quality", () => {
  for (const [name, vod, quality, isWhole, rendition, withheldRendition] of CASES) {
    const { outcome } = whole({ rendition, withheldRendition });
    world.test(name, { vod, quality, outcome: { ...outcome, quality }, isWhole });
  }

  it("is the same in every run of an upload", async () => {
    const { id } = await world.twitch.control.addVod(MEDIA);
    const uploadId = await world.addUpload(id, "720p");
    const stopped = world.newArchiver();
    const running = stopped.consume({ uploadId });
    while ((await world.upload(uploadId)).metadata.rendition === null)
      await world.context.platform.clock.sleep(10);
    await stopped.drain();
    await running;
    const upload = await world.archiveToEnd(uploadId);
    expect(upload.status).toBe("completed");
    expect(await world.holdsVod(upload, id, "480p30")).toBe(true);
  });

  world.test("fails the archive if the source has no sound alone", {
    quality: "audio",
    faults: [
      {
        match: { kind: "master" },
        fault: { type: "replace", pattern: "^.*audio_only.*$", replacement: "" },
        times: "forever",
      },
    ],
    outcome: { errorMessage: "The source does not offer the sound alone." },
  });
});

describe("a form of the source is copied whole", () => {
  for (const [name, vod] of [
    ["a discontinuity with a new init section", "2000001040"],
    ["three init ranges", "2000001043"],
    ["HEVC", "2000001030"],
    ["a reconnect", "2000001041"],
    ["muted segments", "2000001050"],
    ["muted fragments", "2000001051"],
    ["a muted highlight", "2000001052"],
  ] as const)
    world.test(name, { vod, ...whole() });
});
