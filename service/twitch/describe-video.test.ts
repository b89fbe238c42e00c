import { describe, expect, it } from "vitest";
import { describeVideo, parseGoDuration } from "./describe-video.ts";
import { type HelixVideo, helixVideoSchema } from "./helix-shapes.ts";

function helixVideo(fields: Partial<Record<keyof HelixVideo, unknown>> = {}): HelixVideo {
  return helixVideoSchema.parse({
    id: "2345678901",
    stream_id: null,
    user_id: "1005",
    user_login: "pixelpilot",
    user_name: "PixelPilot",
    title: "A title",
    created_at: "2026-03-04T05:06:07Z",
    thumbnail_url: "https://static-cdn.jtvnw.net/cf_vods/abc/thumb0-%{width}x%{height}.jpg",
    type: "archive",
    duration: "1h2m3s",
    muted_segments: null,
    ...fields,
  });
}

describe("a VOD's description", () => {
  it("has a thumbnail of a fixed size if Twitch has one", () => {
    expect(describeVideo(helixVideo(), false).thumbnailUrl).toBe(
      "https://static-cdn.jtvnw.net/cf_vods/abc/thumb0-640x360.jpg",
    );
  });

  it.each([
    "",
    null,
    undefined,
    "https://vod-secure.twitch.tv/_404/404_processing_%{width}x%{height}.png",
    "javascript:alert(1)",
    "data:image/png;base64,AAAA",
    "https://[",
  ])("has no thumbnail when Twitch returns %j", (thumbnail_url) => {
    expect(describeVideo(helixVideo({ thumbnail_url }), false).thumbnailUrl).toBeNull();
  });

  it.each(["", null, undefined])("has other names if title and user name are %j", (missing) => {
    const video = describeVideo(helixVideo({ user_name: missing, title: missing }), false);
    expect(video.owner?.displayName).toBe("pixelpilot");
    expect(video.title).toBe("Untitled broadcast");
  });
});

it.each([
  ["3m21s", 201],
  ["1h19m9s", 4_749],
  ["50s", 50],
  ["48h0m0s", 172_800],
  ["10h", 36_000],
  ["", 0],
  [null, null],
  [undefined, null],
])("converts the duration %j to seconds", (text, sec) => {
  expect(parseGoDuration(text)).toBe(sec);
});
