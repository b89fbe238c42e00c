import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { twitchVodIdSchema } from "#contract/ids.ts";
import { messagesOf, openTwitchWorld, type TwitchWorld } from "#service/testing/twitch-world.ts";
import type { Fault } from "#stand-ins/twitch/faults/fault.ts";
import { SourceError } from "#service/source/source-error.ts";
import type { ChatComment, Source } from "#service/source/source.ts";
import { chooseRendition } from "#service/source/rendition-choice.ts";
import { createTwitchSource } from "./twitch-source.ts";

let world: TwitchWorld;
let source: Required<Source>;

beforeEach(async () => {
  world = await openTwitchWorld();
  source = createTwitchSource(world);
});

afterEach(async () => {
  await world.close();
});

const vod = (id: string) => twitchVodIdSchema.parse(id);

/** Returns the error after checking that it contains no secrets. */
async function refusalOf(work: Promise<unknown>): Promise<SourceError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof SourceError)) throw new Error("Not refused as expected", { cause: error });
  for (const secret of world.secrets) expect(messagesOf(error)).not.toContain(secret);
  return error;
}

function onGql(fault: Fault, times: number | "forever", body?: string): void {
  world.standIn.control.addFault({
    match: { kind: "gql", ...(body === undefined ? {} : { body }) },
    fault,
    times,
  });
}

function onMaster(fault: Fault, times: number | "forever", path?: string): void {
  world.standIn.control.addFault({
    match: { kind: "master", ...(path === undefined ? {} : { path }) },
    fault,
    times,
  });
}

async function renditionOf(id: string) {
  return chooseRendition(await source.open(vod(id)), "best");
}

async function planOf(id: string) {
  const rendition = await renditionOf(id);
  return { rendition, playlist: await source.list(rendition) };
}

describe("a healthy VOD", () => {
  it("is described by Helix", async () => {
    const video = await source.describe(vod("2000001050"));
    expect(video).toMatchObject({
      id: "2000001050",
      owner: { id: "1008", login: "scenario_sam", displayName: "ScenarioSam" },
      title: "5: muted",
      durationSec: 120,
      isRecording: false,
    });
    expect(video.thumbnailUrl).not.toContain("{");
  });

  it("offers the source rendition, and omits a rendition for signed-in viewers", async () => {
    const playback = await source.open(vod("2000001030"));
    expect(chooseRendition(playback, "best").codecs).toContain("hev1");
    expect(playback.withheld).toMatchObject([{ label: "1440p60", reason: "sign_in" }]);
    expect(playback.renditions.map(({ name }) => name)).not.toContain("1440p60");
    expect(playback.renditions.map((one) => one.name)).toContain("audio_only");
  });

  it("is recording until Twitch reports its end", async () => {
    const id = vod("2000001101");
    expect((await source.describe(id)).isRecording).toBe(true);
    expect((await planOf(id)).playlist).toMatchObject({ isEnded: false });
    world.standIn.control.end(id);
    expect((await source.describe(id)).isRecording).toBe(false);
    expect((await planOf(id)).playlist).toMatchObject({ isEnded: true });
  });

  it("is recognized as recording from Helix alone while the web API fails", async () => {
    onGql({ type: "status", status: 500 }, "forever");
    const live = world.standIn.control.addVod({ ownerId: "1009", growing: { initialSegments: 3 } });
    expect((await source.describe(vod(live.id))).isRecording).toBe(true);
    expect((await source.describe(vod("2000001010"))).isRecording).toBe(false);
  });
});

describe("a restricted, deleted or muted VOD", () => {
  it("fails with gone_at_source when Twitch does not know it", async () => {
    expect((await refusalOf(source.describe(vod("2000001080")))).failureClass).toBe(
      "gone_at_source",
    );
    expect((await refusalOf(source.open(vod("2000001080")))).failureClass).toBe("gone_at_source");
    await expect(readAllChat("2000001080")).rejects.toMatchObject({
      failureClass: "gone_at_source",
    });
  });

  it("is not gone while Helix does not answer", async () => {
    const id = vod("2000001010");
    world.standIn.control.claim(id, "webApi", { isMissing: true });
    world.standIn.control.addFault({
      match: { kind: "helix" },
      fault: { type: "status", status: 500 },
      times: 2,
    });
    expect(await refusalOf(source.open(id))).toMatchObject({
      failureClass: "try_later",
      message: expect.stringMatching(
        /^Twitch's web API has no such VOD, and its API does not say: /,
      ),
    });
  });

  it("fails with try_later when listed after its deletion, and gone_at_source when reopened", async () => {
    const { rendition } = await planOf("2000001010");
    world.standIn.control.deleteVod("2000001010");
    const stale = await refusalOf(source.list(rendition));
    expect(stale.failureClass).toBe("try_later");
    const gone = await refusalOf(source.open(vod("2000001010")));
    expect(gone.failureClass).toBe("gone_at_source");
  });

  it("has a new playlist URL after muting, which reopening returns", async () => {
    const { rendition } = await planOf("2000001052");
    world.standIn.control.mute("2000001052", [5]);
    expect((await renditionOf("2000001052")).playlistUrl).not.toBe(rendition.playlistUrl);
  });

  it("is read from a highlight's plain playlist when the muted one does not exist", async () => {
    const { rendition } = await planOf("2000001052");
    const playlistUrl = rendition.playlistUrl.replace(/-muted-\w+/, "-muted-ABCDEFGHIJ");
    const playlist = await source.list({ ...rendition, playlistUrl });
    expect(playlist.segments[1]).toMatchObject({ isMuted: true });
  });
});

describe("a failing Twitch web API", () => {
  it.each([
    ["says service timeout twice", "2000001152"],
    ["answers 500 twice", "2000001155"],
    ["does not know persisted queries", "2000001154"],
  ])("does not prevent listing segments when it %s", async (_trouble, id) => {
    expect((await planOf(id)).playlist.segments).toHaveLength(12);
  });

  it.each<[string, Fault]>([
    ["sends an empty response", { type: "empty" }],
    [
      "answers with an unexpected shape",
      { type: "body", body: '{"data":{"videoPlaybackAccessToken":7}}' },
    ],
    ["answers with JSON that is not an object", { type: "body", body: "[]" }],
    ["drops the connection", { type: "reset" }],
    ["redirects", { type: "redirect", location: "http://127.0.0.1:9/" }],
  ])("causes a try_later error when it %s", async (_trouble, fault) => {
    onGql(fault, "forever");
    const refusal = await refusalOf(source.open(vod("2000001010")));
    expect(refusal.failureClass).toBe("try_later");
    expect(world.requests.every((url) => url.startsWith(world.standIn.url))).toBe(true);
  });

  it("has its Retry-After passed on", async () => {
    onGql({ type: "status", status: 429, retryAfter: 7 }, "forever");
    const refusal = await refusalOf(source.open(vod("2000001010")));
    expect(refusal.retryAfterMs).toBe(7_000);
  });

  it("is queried three times, with pauses, while it times out", async () => {
    onGql({ type: "gqlError", message: "service timeout" }, "forever");
    await refusalOf(source.open(vod("2000001010")));
    expect(world.standIn.control.requests({ kind: "gql" })).toHaveLength(3);
    expect(world.clock.pausesMs).toEqual([300, 600]);
  });

  it("is ignored when it reports another VOD as recording", async () => {
    onGql(
      {
        type: "replace",
        pattern: '"id":"2000001010","status":"RECORDED"',
        replacement: '"id":"2000001101","status":"RECORDING"',
      },
      "forever",
    );
    expect((await source.describe(vod("2000001010"))).isRecording).toBe(false);
  });

  it("causes a try_later error when it answers for another VOD", async () => {
    onGql({ type: "replace", pattern: "2000001010", replacement: "2000001020" }, "forever");
    const refusal = await refusalOf(source.open(vod("2000001010")));
    expect(refusal.failureClass).toBe("try_later");
    expect(world.standIn.control.requests({ kind: "master" })).toEqual([]);
  });
});

describe("the playlist server", () => {
  it.each<[string, Fault]>([
    ["is gone", { type: "status", status: 404 }],
    ["answers 500", { type: "status", status: 500 }],
    ["answers with a web page", { type: "html" }],
    ["answers with an empty list", { type: "body", body: "#EXTM3U\n" }],
    ["drops the connection", { type: "reset" }],
  ])("is queried in its first version when the second %s", async (_trouble, fault) => {
    onMaster(fault, "forever", "^/vod/v2/");
    const { rendition } = await planOf("2000001010");
    expect(rendition.name).toBe("chunked");
  });

  it.each([
    ["is empty", "#EXTM3U\n"],
    [
      "has sound in a list of its own",
      '#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",URI="a.m3u8"\n',
    ],
  ])("causes a try_later error when its list %s", async (_fault, body) => {
    onMaster({ type: "body", body }, "forever");
    const refusal = await refusalOf(source.open(vod("2000001010")));
    expect(refusal.failureClass).toBe("try_later");
  });

  it.each([401, 403])("is sent a new token once when it returns %i", async (status) => {
    onMaster({ type: "status", status }, 1);
    expect((await planOf("2000001010")).playlist.segments).toHaveLength(12);
    expect(world.standIn.control.requests({ kind: "gql" })).toHaveLength(2);
  });

  it("is queried only three times when it rejects every token", async () => {
    onMaster({ type: "status", status: 403 }, "forever");
    const refusal = await refusalOf(source.open(vod("2000001010")));
    expect(refusal.failureClass).toBe("try_later");
    expect(world.standIn.control.requests({ kind: "master" })).toHaveLength(3);
  });

  it("has its Retry-After passed on", async () => {
    onMaster({ type: "status", status: 429, retryAfter: { dateInSec: 3_600 } }, "forever");
    const refusal = await refusalOf(source.open(vod("2000001010")));
    expect(refusal.retryAfterMs).toBeGreaterThan(3_000_000);
    expect(refusal.retryAfterMs).toBeLessThan(3_601_000);
  });

  it.each([
    ["another host", "https://evil.example/index-dvr.m3u8"],
    ["this machine", "http://127.0.0.1:9/index-dvr.m3u8"],
    ["a cloud metadata address", "http://169.254.169.254/latest/meta-data"],
  ])("cannot make the service contact %s", async (_where, address) => {
    onMaster({ type: "replace", pattern: "http://\\S+\\.m3u8", replacement: address }, "forever");
    const refusal = await refusalOf(source.list(await renditionOf("2000001010")));
    expect(refusal.message).toMatch(/which TWITCH_MEDIA_HOSTS does not list\.$/);
    expect(world.requests.every((url) => url.startsWith(world.standIn.url))).toBe(true);
  });
});

describe("a media playlist", () => {
  it.each<[string, Fault]>([
    ["empty", { type: "empty" }],
    ["cut off by a reset", { type: "resetMidBody" }],
    ["shorter than announced", { type: "lengthMismatch" }],
    ["a 500 response", { type: "status", status: 500 }],
  ])("that is %s is rejected", async (_what, fault) => {
    const rendition = await renditionOf("2000001010");
    world.standIn.control.addFault({ match: { kind: "playlist" }, fault, times: "forever" });
    const refusal = await refusalOf(source.list(rendition));
    expect(refusal.failureClass).toBe("try_later");
  });

  it.each([
    ["d2.cloudfront.net", "try_later"],
    ["evil.example", "source_corrupt"],
  ])(
    "does not lead to another host, which may pass if it is listed: %s",
    async (host, expected) => {
      const listed = [...world.settings.TWITCH_MEDIA_HOSTS, "*.cloudfront.net"];
      source = createTwitchSource({
        ...world,
        settings: { ...world.settings, TWITCH_MEDIA_HOSTS: listed },
      });
      const rendition = await renditionOf("2000001010");
      world.standIn.control.addFault({
        match: { kind: "playlist" },
        fault: { type: "replace", pattern: "(\\d+\\.ts)", replacement: `https://${host}/$1` },
        times: "forever",
      });
      const refusal = await refusalOf(source.list(rendition));
      expect([refusal.failureClass, refusal.message]).toEqual([
        expected,
        expect.stringContaining("leads away from the playlist's own host"),
      ]);
      expect(world.requests.every((url) => url.startsWith(world.standIn.url))).toBe(true);
    },
  );
});

describe("chat", () => {
  it("is returned in order without duplicates, including comments of deleted users", async () => {
    const { id } = world.standIn.control.addVod({ segmentCount: 60, commentsPerMinute: 40 });
    const comments = await readAllChat(id);
    expect(comments).toHaveLength(400);
    expect(new Set(comments.map((one) => one.id)).size).toBe(400);
    const offsets = comments.map((one) => one.offsetSec);
    expect(offsets).toEqual(offsets.toSorted((one, other) => one - other));
    expect(comments.some((one) => one.commenter === null)).toBe(true);
    const emote = comments.find((one) => one.message.fragments[0]?.emoteId === "25");
    expect(emote?.message.body).toBe("Kappa nice one");
  });

  it("is read by offset when cursors are rejected", async () => {
    const { id } = world.standIn.control.addVod({ segmentCount: 60, commentsPerMinute: 40 });
    onGql({ type: "gqlError", message: "failed integrity check" }, "forever", '"cursor"');
    expect(await readAllChat(id)).toHaveLength(400);
    const refused = world.standIn.control
      .requests({ kind: "gql" })
      .filter((request) => request.fault !== null);
    // Both forms with each of three client ids, once.
    expect(refused).toHaveLength(6);
  });

  it("is retried while Twitch has not loaded it", async () => {
    expect((await readAllChat("2000001150")).length).toBeGreaterThan(60);
    expect(world.clock.pausesMs).toEqual([100, 200]);
  });

  it("fails with try_later when Twitch never loads it", async () => {
    const { id } = world.standIn.control.addVod({ nullCommentsTimes: 1_000 });
    await expect(readAllChat(id)).rejects.toMatchObject({ failureClass: "try_later" });
  });
});

describe("aborting", () => {
  it("rejects with the signal's own reason", async () => {
    const reason = new Error("The upload was cancelled");
    const signal = AbortSignal.abort(reason);
    const rendition = await renditionOf("2000001010");
    await expect(source.describe(vod("2000001010"), signal)).rejects.toBe(reason);
    await expect(source.open(vod("2000001010"), signal)).rejects.toBe(reason);
    await expect(source.list(rendition, signal)).rejects.toBe(reason);
    await expect(source.fetch(rendition.playlistUrl, { signal })).rejects.toBe(reason);
    await expect(readAllChat("2000001010", signal)).rejects.toBe(reason);
  });
});

async function readAllChat(id: string, signal?: AbortSignal): Promise<readonly ChatComment[]> {
  const comments: ChatComment[] = [];
  for await (const page of source.readChat(vod(id), { sec: 0, knownIds: [] }, signal)) {
    expect(page.comments.length).toBeGreaterThan(0);
    comments.push(...page.comments);
  }
  return comments;
}
