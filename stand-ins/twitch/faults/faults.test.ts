import { get } from "node:http";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTwitchStandIn, type TwitchStandIn } from "../server.ts";
import {
  appToken,
  clientId,
  clientSecret,
  downloadSource,
  getHelix,
  getMaster,
  playbackToken,
  postToken,
  pressButton,
  redirectUri,
  sourceUrl,
} from "../testing/twitch-client.ts";
import type { Fault } from "./fault.ts";

const SEGMENT_BYTES = 18_800;
let standIn: TwitchStandIn;
let vodId: string;
let url: URL;

beforeEach(async () => {
  standIn = await startTwitchStandIn({ clientId, clientSecret });
  vodId = standIn.control.addVod({ segmentCount: 4, segmentSizeBytes: SEGMENT_BYTES }).id;
  url = new URL("1.ts", await sourceUrl(standIn, vodId));
});
afterEach(async () => {
  await standIn.close();
});

/** The bytes on the wire, complete or not. */
type Arrival = {
  readonly status: number | null;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly bytes: Buffer;
  readonly isComplete: boolean;
};

async function fetchRaw(address: URL, giveUpMs = 2_000): Promise<Arrival> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let status: number | null = null;
    let headers: Arrival["headers"] = {};
    const done = (isComplete: boolean): void => {
      clearTimeout(timer);
      request.destroy();
      resolve({ status, headers, bytes: Buffer.concat(chunks), isComplete });
    };
    const request = get(address, { agent: false }, (response) => {
      status = response.statusCode ?? null;
      headers = response.headers;
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => done(true));
      response.on("error", () => done(false));
    });
    const timer = setTimeout(() => done(false), giveUpMs);
    request.on("error", () => done(false));
  });
}

/** Fetches segment 1 with the fault, and again after it; returns both. */
async function withFault(fault: Fault, giveUpMs?: number): Promise<[Arrival, Arrival]> {
  standIn.control.addFault({ match: { kind: "segment", vodId, segmentIndex: 1 }, fault });
  return [await fetchRaw(url, giveUpMs), await fetchRaw(url)];
}

function expectWhole(arrival: Arrival): void {
  expect(arrival.status).toBe(200);
  expect(arrival.isComplete).toBe(true);
  expect(arrival.bytes.byteLength).toBe(SEGMENT_BYTES);
  expect(arrival.bytes[0]).toBe(0x47);
}

test("a status, with Retry-After in each of its forms, and then the right answer", async () => {
  const [first, second] = await withFault({ type: "status", status: 429, retryAfter: 7 });
  expect(first.status).toBe(429);
  expect(first.headers["retry-after"]).toBe("7");
  expectWhole(second);
  const [dated] = await withFault({ type: "status", status: 503, retryAfter: { dateInSec: 5 } });
  const waitMs = Date.parse(String(dated.headers["retry-after"])) - Date.now();
  expect(waitMs).toBeGreaterThan(3_000);
  expect(waitMs).toBeLessThan(5_500);
  expect((await withFault({ type: "status", status: 204 }))[0].bytes.byteLength).toBe(0);
});

test("a truncated body looks whole, an overlong and an empty one too", async () => {
  const [short] = await withFault({ type: "truncate", afterBytes: 1_000 });
  expect(short).toMatchObject({ status: 200, isComplete: true });
  expect(short.headers["content-length"]).toBe("1000");
  const [long] = await withFault({ type: "overlong", extraBytes: 10 });
  expect(long.bytes.byteLength).toBe(SEGMENT_BYTES + 10);
  const [empty] = await withFault({ type: "empty" });
  expect(empty).toMatchObject({ status: 200, isComplete: true });
  expect(empty.bytes.byteLength).toBe(0);
});

test("a web page, wrong magic, a flipped bit and another segment's bytes", async () => {
  const [html] = await withFault({ type: "html" });
  expect(html.headers["content-type"]).toContain("text/html");
  const [magic, right] = await withFault({ type: "wrongMagic" });
  expect(magic.bytes[0]).not.toBe(0x47);
  expect(magic.bytes.byteLength).toBe(SEGMENT_BYTES);
  expectWhole(right);
  const [flipped] = await withFault({ type: "bitflip", atByte: 700 });
  const differing = [...flipped.bytes].filter((byte, index) => byte !== right.bytes[index]);
  expect(differing).toHaveLength(1);
  const [swapped] = await withFault({ type: "swap", withIndex: 2 });
  const other = await fetchRaw(new URL("2.ts", url));
  expect(swapped.bytes.equals(other.bytes)).toBe(true);
});

test("a stall sends some bytes and then nothing, for a while or for ever", async () => {
  const [forEver, after] = await withFault({ type: "stall", afterBytes: 4_000 }, 300);
  expect(forEver.isComplete).toBe(false);
  expect(forEver.bytes.byteLength).toBe(4_000);
  expectWhole(after);
  const startedAt = performance.now();
  const [late] = await withFault({ type: "stall", ms: 200 });
  expectWhole(late);
  expect(performance.now() - startedAt).toBeGreaterThan(190);
});

test("slow is slow, and a delay comes before the first byte", async () => {
  const [slow] = await withFault({ type: "slow", bytesPerSecond: 1_000 }, 450);
  expect(slow.isComplete).toBe(false);
  expect(slow.bytes.byteLength).toBeGreaterThan(100);
  expect(slow.bytes.byteLength).toBeLessThan(800);
  const [early] = await withFault({ type: "delay", ms: 400 }, 200);
  expect(early.status).toBeNull();
});

test("resets: at once, and after some bytes", async () => {
  const [atOnce] = await withFault({ type: "reset" });
  expect(atOnce.status).toBeNull();
  const [midBody, after] = await withFault({ type: "resetMidBody", afterBytes: 5_000 });
  expect(midBody).toMatchObject({ status: 200, isComplete: false });
  expect(midBody.bytes.byteLength).toBe(5_000);
  expectWhole(after);
});

test("a Content-Length that promises more leaves the body incomplete; less cuts it", async () => {
  const [more] = await withFault({ type: "lengthMismatch", deltaBytes: 100 });
  expect(more.headers["content-length"]).toBe(String(SEGMENT_BYTES + 100));
  expect(more.isComplete).toBe(false);
  const [less] = await withFault({ type: "lengthMismatch", deltaBytes: -100 });
  expect(less.bytes.byteLength).toBeLessThanOrEqual(SEGMENT_BYTES - 100);
});

test("redirects, gzip bombs, endless bodies and bodies of one's own", async () => {
  const location = "http://127.0.0.1:1/elsewhere";
  const [redirect] = await withFault({ type: "redirect", location, status: 307 });
  expect(redirect).toMatchObject({ status: 307, headers: { location } });
  const [bomb] = await withFault({ type: "gzipBomb", expandsToBytes: 64 * 1024 * 1024 });
  expect(bomb.headers["content-encoding"]).toBe("gzip");
  expect(bomb.bytes.byteLength).toBeLessThan(100_000);
  expect(gunzipSync(bomb.bytes).byteLength).toBe(64 * 1024 * 1024);
  const [endless] = await withFault({ type: "endless" }, 300);
  expect(endless.isComplete).toBe(false);
  expect(endless.bytes.byteLength).toBeGreaterThan(SEGMENT_BYTES);
  const [own] = await withFault({
    type: "body",
    body: "hello",
    contentType: "text/x",
    status: 203,
  });
  expect(own).toMatchObject({ status: 203, bytes: Buffer.from("hello") });
});

test("replace rewrites an answer line by line, so playlists can lead astray", async () => {
  standIn.control.addFault({
    match: { kind: "playlist", vodId },
    fault: { type: "replace", pattern: "^3\\.ts$", replacement: "http://evil.example/3.ts" },
  });
  const playlist = await (await fetch(await sourceUrl(standIn, vodId))).text();
  expect(playlist).toContain("\n2.ts\n");
  expect(playlist).toContain("\nhttp://evil.example/3.ts\n");
});

test("a fault applies as often as said, newest first, and only where it fits", async () => {
  const status = async (): Promise<number | null> => (await fetchRaw(url)).status;
  const forEver = standIn.control.addFault({
    match: { path: "/1\\.ts$" },
    fault: { type: "status", status: 500 },
    times: "forever",
  });
  standIn.control.addFault({
    match: { kind: "segment", segmentIndex: 1 },
    fault: { type: "status", status: 404 },
    times: 2,
  });
  expect([await status(), await status(), await status(), await status()]).toEqual([
    404, 404, 500, 500,
  ]);
  expect((await fetchRaw(new URL("2.ts", url))).status).toBe(200);
  expect(standIn.control.faults().map((rule) => rule.usedTimes)).toEqual([2, 2]);
  expect(standIn.control.removeFault(forEver)).toBe(true);
  expect(await status()).toBe(200);
});

test("a refused token request leaves its code unused; a lost reply does not", async () => {
  const codeOf = async (): Promise<Record<string, string>> => ({
    grant_type: "authorization_code",
    code: (await pressButton(standIn, { account: "1001" })).searchParams.get("code") ?? "",
    redirect_uri: redirectUri,
  });
  const fields = await codeOf();
  standIn.control.addFault({ match: { kind: "token" }, fault: { type: "status", status: 503 } });
  expect((await postToken(standIn, fields)).status).toBe(503);
  expect((await postToken(standIn, fields)).status).toBe(200);
  const lost = await codeOf();
  standIn.control.addFault({
    match: { kind: "token" },
    fault: { type: "resetMidBody", afterBytes: 0 },
  });
  await expect(postToken(standIn, lost)).rejects.toThrow("terminated");
  expect((await postToken(standIn, lost)).status).toBe(400);
});

test("faults reach Helix, validate, GQL and usher as well", async () => {
  const { control } = standIn;
  const token = await appToken(standIn);
  control.addFault({
    match: { kind: "helix" },
    fault: { type: "status", status: 401, message: "x" },
  });
  expect((await getHelix(standIn, "/users?id=1001", token)).status).toBe(401);
  control.addFault({ match: { kind: "helix" }, fault: { type: "emptyPage" } });
  const empty = await (await getHelix(standIn, "/videos?user_id=1005", token)).json();
  expect(empty).toMatchObject({ data: [], pagination: { cursor: expect.any(String) } });
  control.addFault({ match: { kind: "validate" }, fault: { type: "status", status: 500 } });
  expect((await fetch(`${standIn.idUrl}/oauth2/validate`)).status).toBe(500);
  control.addFault({
    match: { kind: "gql", vodId },
    fault: { type: "body", body: '{"data":{"videoPlaybackAccessToken":null}}' },
  });
  expect(await playbackToken(standIn, vodId)).toBeNull();
  control.addFault({ match: { kind: "master", vodId }, fault: { type: "html" } });
  expect((await getMaster(standIn, vodId)).headers.get("content-type")).toContain("text/html");
});

test.each([
  ["2000001110", 3],
  ["2000001111", 3],
  ["2000001112", 3],
  ["2000001115", 3],
])("scenario VOD %s is wrong once and right when asked again", async (id) => {
  const { bytes } = await downloadSource(standIn, id);
  const again = await downloadSource(standIn, id);
  const digest = await standIn.control.sourceDigest(id);
  expect(bytes.byteLength === digest.sizeBytes && bytes.equals(again.bytes)).toBe(false);
  expect(again.bytes.byteLength).toBe(digest.sizeBytes);
});

test("a reset brings scenario faults back and takes the others away", async () => {
  const statuses = async (): Promise<(number | null)[]> => {
    // A reset creates the VOD again, in a folder named after the second of its creation.
    const scenario = new URL("2.ts", await sourceUrl(standIn, "2000001121"));
    return [
      (await fetchRaw(scenario)).status,
      (await fetchRaw(scenario)).status,
      (await fetchRaw(scenario)).status,
    ];
  };
  expect(await statuses()).toEqual([429, 429, 200]);
  standIn.control.addFault({ match: {}, fault: { type: "status", status: 500 }, times: "forever" });
  standIn.control.reset();
  expect(await statuses()).toEqual([429, 429, 200]);
});
