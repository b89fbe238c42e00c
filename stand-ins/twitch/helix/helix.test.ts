import { afterEach, beforeEach, expect, test } from "vitest";
import { startTwitchStandIn, type TwitchStandIn } from "../server.ts";
import { appToken, clientId, clientSecret, getHelix, signIn } from "../testing/twitch-client.ts";

let standIn: TwitchStandIn;
let token: string;
let nowMs = Date.parse("2026-11-20T12:00:00Z");

beforeEach(async () => {
  standIn = await startTwitchStandIn({ clientId, clientSecret, now: () => nowMs });
  token = await appToken(standIn);
});
afterEach(async () => {
  await standIn.close();
});

type Reply = {
  readonly data: readonly Record<string, unknown>[];
  readonly pagination: { cursor?: string };
};

async function list(path: string, accessToken = token): Promise<Reply> {
  const response = await getHelix(standIn, path, accessToken);
  expect({ path, status: response.status }).toEqual({ path, status: 200 });
  const reply: Reply = JSON.parse(await response.text());
  return reply;
}

test("a user token alone names its owner, with the email the scope allows", async () => {
  const { accessToken } = await signIn(standIn, "1001");
  const { data } = await list("/users", accessToken);
  expect(data).toHaveLength(1);
  expect(data[0]).toMatchObject({
    id: "1001",
    login: "avery_admin",
    display_name: "Avery Admin",
    email: "avery_admin@example.test",
  });
  const picture = await fetch(String(data[0]?.["profile_image_url"]));
  expect(picture.headers.get("content-type")).toBe("image/svg+xml");
});

test("users by id and login: unknown ones are missing, emails of others too", async () => {
  const { data } = await list("/users?id=1005&id=99&login=avery_admin&login=nobody_here");
  expect(data.map((user) => user["login"])).toEqual(["pixelpilot", "avery_admin"]);
  expect(data[0]).not.toHaveProperty("email");
  expect((await getHelix(standIn, "/users", token)).status).toBe(400);
});

test.each([
  ["no token", {}, "OAuth token is missing"],
  ["an unknown token", { authorization: "Bearer x", "client-id": clientId }, "Invalid OAuth token"],
])("%s is 401 in Helix's form", async (_what, headers, message) => {
  const response = await fetch(`${standIn.apiUrl}/users?id=1001`, { headers });
  expect(response.status).toBe(401);
  expect(await response.json()).toEqual({ error: "Unauthorized", status: 401, message });
});

test("another client id than the token's is 401", async () => {
  const headers = { authorization: `Bearer ${token}`, "client-id": "another" };
  const response = await fetch(`${standIn.apiUrl}/users?id=1001`, { headers });
  expect(response.status).toBe(401);
});

test("a VOD is described as the reference says", async () => {
  const { data } = await list("/videos?id=2000000001&id=404404");
  expect(data).toHaveLength(1);
  expect(data[0]).toMatchObject({
    id: "2000000001",
    user_id: "1005",
    user_login: "pixelpilot",
    title: "Two hours of calm flying",
    duration: "2h0m0s",
    type: "archive",
    viewable: "public",
    muted_segments: null,
  });
  expect(data[0]?.["thumbnail_url"]).toContain("%{width}x%{height}");
  expect(data[0]?.["created_at"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
});

test("muted ranges are in seconds, neighbours joined", async () => {
  const { data } = await list("/videos?id=2000001050");
  expect(data[0]?.["muted_segments"]).toEqual([
    { duration: 20, offset: 20 },
    { duration: 10, offset: 70 },
  ]);
});

test("when all ids are unknown the answer is 404, and two selectors are 400", async () => {
  expect((await getHelix(standIn, "/videos?id=2000001080", token)).status).toBe(404);
  expect((await getHelix(standIn, "/videos?id=1&user_id=1005", token)).status).toBe(400);
  expect((await getHelix(standIn, "/videos", token)).status).toBe(400);
});

test("paging goes through all of a streamer's VODs, newest first, each once", async () => {
  const ids: unknown[] = [];
  const dates: string[] = [];
  let after = "";
  do {
    const page = await list(`/videos?user_id=1008&first=7&after=${encodeURIComponent(after)}`);
    expect(page.data.length).toBeLessThanOrEqual(7);
    ids.push(...page.data.map((video) => video["id"]));
    dates.push(...page.data.map((video) => String(video["created_at"])));
    after = page.pagination.cursor ?? "";
  } while (after !== "");
  const own = standIn.control.vods().filter((vod) => vod.ownerId === "1008");
  expect(new Set(ids)).toEqual(new Set(own.map((vod) => vod.id)));
  expect(ids).toHaveLength(own.length);
  expect(dates).toEqual(dates.toSorted((left, right) => right.localeCompare(left)));
});

test("a list can have an empty page in its middle, and a cursor on it", async () => {
  const sizes: number[] = [];
  let after = "";
  do {
    const page = await list(`/videos?user_id=1007&after=${encodeURIComponent(after)}`);
    sizes.push(page.data.length);
    after = page.pagination.cursor ?? "";
  } while (after !== "");
  expect(sizes).toEqual([20, 0, 4]);
});

test("every answer counts down the bucket, and an empty one is 429 with its reset", async () => {
  standIn.control.setRate({ pointsPerMinute: 3 });
  const remaining: (string | null)[] = [];
  for (let call = 0; call < 3; call += 1) {
    const response = await getHelix(standIn, "/users?id=1001", token);
    remaining.push(response.headers.get("ratelimit-remaining"));
  }
  expect(remaining).toEqual(["2", "1", "0"]);
  const refused = await getHelix(standIn, "/users?id=1001", token);
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({ error: "Too Many Requests", status: 429 });
  expect(refused.headers.get("ratelimit-limit")).toBe("3");
  nowMs = Number(refused.headers.get("ratelimit-reset")) * 1_000;
  expect((await getHelix(standIn, "/users?id=1001", token)).status).toBe(200);
});

test("a channel whose VOD is still recorded is live; ended, it is not", async () => {
  const vod = standIn.control.addVod({ ownerId: "1002", growing: { initialSegments: 3 } });
  const live = await list("/streams?user_id=1002");
  expect(live.data[0]).toMatchObject({ user_login: "mo_moderator", type: "live" });
  const recording = await list(`/videos?id=${vod.id}`);
  expect(recording.data[0]?.["stream_id"]).toBe(live.data[0]?.["id"]);
  expect(recording.data[0]?.["thumbnail_url"]).toContain("404_processing");
  standIn.control.end(vod.id);
  expect((await list("/streams?user_id=1002")).data).toEqual([]);
});

test("channels by id", async () => {
  const { data } = await list("/channels?broadcaster_id=1005&broadcaster_id=0");
  expect(data).toHaveLength(1);
  expect(data[0]).toMatchObject({ broadcaster_id: "1005", broadcaster_login: "pixelpilot" });
});
