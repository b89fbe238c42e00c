import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import * as z from "zod/mini";
import type { SeededDice } from "../seeded-dice.ts";
import type { Faults } from "./faults.ts";
import type { Connect, Life } from "./life.ts";
import {
  isGone,
  isHidden,
  listedSegments,
  SEGMENT_SEC,
  segmentBytes,
  VODS,
  visibleSegments,
  type SimulatedVod,
} from "./simulated-vod.ts";
import type { Timeline } from "./timeline.ts";

/** What the service is told to use as Twitch. */
export const TWITCH_SETTINGS = {
  TWITCH_CLIENT_ID: "simulated",
  TWITCH_CLIENT_SECRET: "simulated",
  TWITCH_ID_URL: "https://twitch.test",
  TWITCH_API_URL: "https://twitch.test/helix",
  TWITCH_GQL_URL: "https://twitch.test/gql",
  TWITCH_USHER_URL: "https://twitch.test",
  TWITCH_MEDIA_HOSTS: "media.test",
} as const;

const questionSchema = z.object({
  operationName: z.string(),
  variables: z.record(z.string(), z.unknown()),
});

/** Long enough for one interface to be wrong twice, a minute apart. */
const WRONG_FOR_MS = 200_000;
const INTERFACES = ["helix", "gql", "usher"] as const;

/** What S3 says about an absent object. */
const ACCESS_DENIED = "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>";

export function createSimulatedTwitch(
  timeline: Timeline,
  faults: Faults,
  dice: SeededDice,
): Connect<OutgoingFetch> {
  const startMs = timeline.now();
  const mutedFromMs = startMs + dice.between(10_000, 200_000);

  function isMuted(vod: SimulatedVod, index: number): boolean {
    return vod.muted?.includes(index) === true && timeline.now() >= mutedFromMs;
  }

  function answer(url: URL, body: string): Response {
    if (url.pathname.startsWith("/oauth2/")) return json({ access_token: "simulated" });
    if (url.pathname.startsWith("/helix/")) return helix(url);
    if (url.pathname === "/gql") return gql(body);
    const vod = VODS.find(({ id }) => url.pathname.includes(id));
    if (url.host === "twitch.test")
      return vod === undefined || isDenied(vod, "usher")
        ? new Response(null, { status: 404 })
        : usher(vod);
    if (vod === undefined || isGone(vod, sinceMs()))
      return new Response(ACCESS_DENIED, { status: 403 });
    if (url.pathname.endsWith(".m3u8")) return new Response(playlist(vod));
    return segment(vod, url.pathname);
  }

  function sinceMs(): number {
    return timeline.now() - startMs;
  }

  /** Only one interface at a time may be wrong, so that no two of them agree on it. */
  function isDenied(vod: SimulatedVod, by: (typeof INTERFACES)[number]): boolean {
    const wrong = INTERFACES[Math.floor(sinceMs() / WRONG_FOR_MS) % INTERFACES.length];
    return isHidden(vod, sinceMs()) || (wrong === by && dice.chance(faults.sourceDenies));
  }

  function helix(url: URL): Response {
    const id = url.searchParams.get("id");
    if (url.pathname.endsWith("/videos")) {
      const vod = VODS.find((each) => each.id === id);
      return json({ data: vod === undefined || isDenied(vod, "helix") ? [] : [video(vod)] });
    }
    if (url.pathname.endsWith("/streams")) return json({ data: streams(url) });
    if (url.pathname.endsWith("/users"))
      return json({ data: [{ id, login: `owner${id}`, display_name: `Owner${id}` }] });
    return json({ data: [] });
  }

  function streams(url: URL): readonly unknown[] {
    return VODS.filter(
      (vod) => vod.ownerId === url.searchParams.get("user_id") && isGrowing(vod),
    ).map((vod) => ({ id: `broadcast${vod.id}`, user_id: vod.ownerId }));
  }

  function video(vod: SimulatedVod): unknown {
    return {
      id: vod.id,
      stream_id: `broadcast${vod.id}`,
      user_id: vod.ownerId,
      user_login: `owner${vod.ownerId}`,
      user_name: `Owner${vod.ownerId}`,
      title: `VOD ${vod.id}`,
      created_at: new Date(startMs).toISOString(),
      thumbnail_url: "",
      type: "archive",
      duration: `${visibleSegments(vod, sinceMs()) * SEGMENT_SEC}s`,
    };
  }

  function gql(body: string): Response {
    const { operationName, variables } = questionSchema.parse(JSON.parse(body));
    const vod = VODS.find(({ id }) => id === (variables["vodID"] ?? variables["videoID"]));
    const isAboutChat = operationName === "VideoCommentsByOffsetOrCursor";
    if (vod === undefined || (isAboutChat ? isHidden(vod, sinceMs()) : isDenied(vod, "gql")))
      return json({ data: { video: null, videoPlaybackAccessToken: null } });
    if (operationName === "PlaybackAccessToken")
      return json({ data: { videoPlaybackAccessToken: { value: "{}", signature: "abc" } } });
    if (operationName === "VideoMetadata")
      return json({
        data: { video: { id: vod.id, status: isGrowing(vod) ? "RECORDING" : "RECORDED" } },
      });
    return json({
      data: { video: { id: vod.id, comments: { edges: [], pageInfo: { hasNextPage: false } } } },
    });
  }

  function isGrowing(vod: SimulatedVod): boolean {
    return visibleSegments(vod, sinceMs()) < vod.packetCounts.length;
  }

  function playlist(vod: SimulatedVod): string {
    const lines = [
      "#EXTM3U",
      "#EXT-X-VERSION:3",
      `#EXT-X-TARGETDURATION:${SEGMENT_SEC}`,
      "#EXT-X-PLAYLIST-TYPE:EVENT",
      "#EXT-X-MEDIA-SEQUENCE:0",
    ];
    for (let index = 0; index < listedSegments(vod, sinceMs()); index += 1)
      lines.push(
        `#EXTINF:${SEGMENT_SEC}.000,`,
        `${index}${isMuted(vod, index) ? "-muted" : ""}.ts`,
      );
    if (!isGrowing(vod)) lines.push("#EXT-X-ENDLIST");
    return `${lines.join("\n")}\n`;
  }

  function segment(vod: SimulatedVod, path: string): Response {
    const [, number, muted] = /\/(\d+)(-muted)?\.ts$/.exec(path) ?? [];
    const index = Number(number);
    const isThere =
      vod.absent?.includes(index) !== true && isMuted(vod, index) === (muted !== undefined);
    if (!isThere) return new Response(ACCESS_DENIED, { status: 403 });
    const whole = segmentBytes(vod, index, muted !== undefined);
    const bytes = vod.damaged?.includes(index) === true ? whole.subarray(0, -1) : whole;
    return new Response(new Uint8Array(bytes), {
      headers: { "content-length": String(bytes.byteLength) },
    });
  }

  /** The answer over a connection that may hang or break. */
  function transfer(life: Life, whole: Response, signal: AbortSignal | null): Response {
    const breaksOff = dice.chance(faults.sourceCut);
    const hangs = dice.chance(faults.sourceHangs);
    const source = whole.body?.getReader();
    let chunks = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        start(controller) {
          signal?.addEventListener("abort", () => controller.error(signal.reason), { once: true });
        },
        async pull(controller) {
          chunks += 1;
          if (chunks > 1 && hangs) return await new Promise(() => undefined);
          await new Promise<void>((resolve) => life.later(dice.between(5, 900), resolve));
          if (signal?.aborted === true) return;
          if (chunks > 1 && breaksOff) {
            if (dice.chance(0.5)) controller.error(new TypeError("terminated"));
            else controller.close();
            return;
          }
          const { done, value } = (await source?.read()) ?? { done: true };
          if (done || value === undefined) {
            controller.close();
            return;
          }
          // The connection may break off in the middle of a body.
          if (breaksOff && value.byteLength > 1)
            controller.enqueue(value.subarray(0, value.byteLength >> 1));
          else controller.enqueue(value);
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(body, { status: whole.status, headers: whole.headers });
  }

  return (life) => (address, init) => {
    const url = new URL(address);
    const signal = init?.signal ?? null;
    const body = typeof init?.body === "string" ? init.body : "";
    const way = { delayMs: dice.between(5, 300), answerAfterMs: dice.between(5, 500) };
    const fate = dice.random();
    const answered = life.call(`source ${url.host}${url.pathname}`, way, () => {
      if (fate < faults.sourceThrottles)
        return new Response(null, { status: 429, headers: { "retry-after": "7" } });
      if (fate < faults.sourceThrottles + faults.sourceRefuses)
        return new Response("<!doctype html>", {
          status: dice.pick(url.host === "media.test" ? [403, 500, 502, 503] : [500, 502, 503]),
        });
      return transfer(life, answer(url, body), signal);
    });
    if (signal === null) return answered;
    return new Promise((resolve, reject) => {
      if (signal.aborted) reject(signal.reason);
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      answered.then(resolve, reject);
    });
  };
}

function json(value: unknown): Response {
  return Response.json(value);
}

function usher(vod: SimulatedVod): Response {
  if (vod.isForSubscribers === true)
    return new Response('[{"error_code":"vod_manifest_restricted"}]', { status: 403 });
  return new Response(
    `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=46875,CODECS="avc1.64002A,mp4a.40.2",RESOLUTION=1920x1080,STABLE-VARIANT-ID="1080p60",IVS-NAME="1080p60",IVS-VARIANT-SOURCE="source"\nhttps://media.test/${vod.id}/chunked/index.m3u8\n`,
  );
}
