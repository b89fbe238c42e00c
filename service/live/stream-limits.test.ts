import { afterAll, expect, test } from "vitest";
import { systemMetricsStream } from "#contract/system.ts";
import { createToken } from "#contract/tokens.ts";
import { uploadStream } from "#contract/upload-stream.ts";
import { banUser } from "#contract/users.ts";
import { createManualClock } from "#hosts/node/testing/manual-clock.ts";
import { sql } from "#service/db/sql.ts";
import { addressOf } from "#service/testing/call-address.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { ADMIN, startTestService, STREAMER } from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";
import { publishUpload } from "#service/storage/upload-events.ts";

const vodkeep = await startTestService({ settings: { RATE_LIMIT_FACTOR: "1" } });
const admin = await vodkeep.signIn(ADMIN);
afterAll(() => vodkeep.close());

function connect(client: TestClient = admin, path = uploadStream.path): Promise<Response> {
  return client.cookieOnly().send("GET", path);
}

test("programs of a user share five streams, which are not those of the user's sessions", async () => {
  const body = { name: "script", permissions: ["read:uploads"], expiresInDays: null } as const;
  const programs = await Promise.all(
    [1, 2].map(async () => {
      const { token } = await admin.expect(createToken, undefined, { body });
      return Object.assign(vodkeep.visitor(), { token });
    }),
  );
  const streams = [];
  for (const client of [...programs, ...programs, ...programs, admin])
    streams.push(await client.send("GET", uploadStream.path));
  expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 200]);
  for (const stream of streams) await stream.body?.cancel();
});

test("a user's sixth stream is rejected, and closing one makes room for another", async () => {
  const streams = await Promise.all(Array.from({ length: 5 }, () => connect()));
  expect(streams.map((stream) => stream.status)).toEqual([200, 200, 200, 200, 200]);
  const sixth = await connect();
  expect(sixth.status).toBe(429);
  expect(Number(sixth.headers.get("retry-after"))).toBeGreaterThan(0);
  await streams[0]?.body?.cancel();
  const seventh = await connect();
  expect(seventh.status).toBe(200);
  for (const stream of [...streams.slice(1), seventh]) await stream.body?.cancel();
});

test("a reader that never reads is disconnected without delaying others", async () => {
  await seedUpload(vodkeep.platform.database, { id: "large", title: "x".repeat(8_000) });
  const idle = await connect();
  const reading = await connect();
  const reader = reading.body?.getReader();
  for (let count = 0; count < 40; count++) {
    await publishUpload(vodkeep.platform, "large");
    vodkeep.clock.advance(1_000);
    await reader?.read();
  }
  await reader?.cancel();
  expect((await idle.text()).length).toBeLessThan(256 * 1024);
  const told = vodkeep
    .log()
    .split("\n")
    .filter((line) => line.includes("did not keep up"));
  expect(told).toHaveLength(1);
  expect(told[0]).not.toContain("stack");
});

test("an oversized event is skipped without ending the stream", async () => {
  const { database } = vodkeep.platform;
  await seedUpload(database, { id: "huge", title: "x".repeat(300_000) });
  await seedUpload(database, { id: "small" });
  const stream = await connect();
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  await publishUpload(vodkeep.platform, "huge");
  vodkeep.clock.advance(1_000);
  await publishUpload(vodkeep.platform, "small");
  let text = "";
  while (!text.includes('"small"')) text += (await reader?.read())?.value ?? "";
  expect(text).not.toContain('"huge"');
  await reader?.cancel();
});

test("a ban ends the user's streams at once, without a recheck", async () => {
  // Time stands still, so nothing is rechecked.
  const clock = createManualClock(Date.now());
  const apart = await startTestService({
    starts: true,
    changePlatform: (platform) => ({ ...platform, clock }),
  });
  const moderator = await apart.signIn(ADMIN);
  const client = await apart.signInWith(STREAMER, ["read:uploads", "read:system"]);
  const streams = [await connect(client), await connect(client, systemMetricsStream.path)];
  await moderator.expect(banUser, addressOf(banUser, { id: STREAMER }), { body: {} });
  for (const stream of streams) expect(await stream.text()).not.toBe("");
  await apart.close();
});

test("a ban made only in the database ends the user's streams within five seconds", async () => {
  const clock = createManualClock(Date.now());
  const apart = await startTestService({
    starts: true,
    changePlatform: (platform) => ({ ...platform, clock }),
  });
  const client = await apart.signInWith(STREAMER, ["read:uploads"]);
  const stream = await connect(client);
  expect(stream.status).toBe(200);
  await apart.platform.database.run(sql`UPDATE users SET banned_at = 1 WHERE id = ${STREAMER}`);
  clock.pass(5_000);
  expect(await stream.text()).toContain("connection");
  await apart.close();
});
