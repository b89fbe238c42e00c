import { describe, expect, it } from "vitest";
import { ApiError } from "#service/api-error.ts";
import { parseVodReference } from "./parse-vod-reference.ts";

function read(url: string): string {
  return parseVodReference(url);
}

describe("parseVodReference finds the VOD in", () => {
  it.each([
    "2345678901",
    "v2345678901",
    " 2345678901 ",
    "https://www.twitch.tv/videos/2345678901",
    "https://www.twitch.tv/videos/2345678901?t=1h2m3s&filter=archives",
    "http://twitch.tv/videos/2345678901/",
    "twitch.tv/videos/2345678901#top",
    "TWITCH.TV/videos/v2345678901",
    "https://m.twitch.tv/videos/2345678901",
    "https://m.twitch.tv/videos/2345678901?desktop-redirect=true",
    "https://www.twitch.tv/somebody/v/2345678901",
    "https://www.twitch.tv/somebody/video/2345678901",
    "https://player.twitch.tv/?video=v2345678901&parent=example.com",
    "https://player.twitch.tv/?video=2345678901",
    "https://www.twitch.tv/somebody/schedule?vodID=2345678901",
    "https://dashboard.twitch.tv/u/somebody/content/video-producer/edit/2345678901",
    "https://dashboard.twitch.tv/u/somebody/content/video-producer/highlighter/2345678901/",
  ])("%s", (text) => {
    expect(read(text)).toBe("2345678901");
  });
});

describe("parseVodReference explains what to enter instead of", () => {
  it.each([
    ["https://www.twitch.tv/somebody", "channel"],
    ["https://www.twitch.tv/somebody/videos", "is not a VOD's"],
    ["https://www.twitch.tv/somebody/clip/FunnyClip-1a2b", "clip"],
    ["https://clips.twitch.tv/FunnyClip", "clip"],
    ["https://player.twitch.tv/?channel=somebody", "no VOD"],
    ["https://www.twitch.tv/somebody/schedule", "is not a VOD's"],
    ["https://www.twitch.tv/somebody/schedule?vodID=", "number of a VOD"],
    ["https://dashboard.twitch.tv/u/somebody/content/video-producer", "dashboard"],
    ["https://dashboard.twitch.tv/u/somebody/stream-manager/1", "dashboard"],
    ["https://www.youtube.com/watch?v=2345678901", "twitch.tv"],
    ["https://twitch.tv.evil.example/videos/2345678901", "twitch.tv"],
    ["https://evil.example/twitch.tv/videos/1", "twitch.tv"],
    ["javascript://twitch.tv/videos/1", "address"],
    ["https://www.twitch.tv/videos/", "channel"],
    ["https://www.twitch.tv/videos/abc", "number of a VOD"],
    ["https://www.twitch.tv/videos/0", "number of a VOD"],
    ["https://www.twitch.tv/videos/1%2F..%2F2", "number of a VOD"],
    ["123456789012345678901", "number of a VOD"],
    ["0", "number of a VOD"],
    ["http://[", "address"],
    ["hello there", "address"],
    ["", "address"],
  ])("%j", (text, word) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({
        name: "ApiError",
        code: "invalid_request",
        message: expect.stringContaining(word),
      }),
    );
  });

  it("other invalid text, in an ApiError", () => {
    for (const text of ["\u0000", "💾", "%", "https://", "v", "twitch.tv/videos/١٢٣"])
      expect(() => read(text)).toThrow(ApiError);
  });
});
