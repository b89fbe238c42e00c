import { afterEach, beforeEach, expect, test } from "vitest";
import { browserNotifications } from "#contract/browser-notifications.ts";
import { sql } from "#service/db/sql.ts";
import { readHealth } from "#service/health/health-store.ts";
import { runDue } from "#service/jobs/job-runner.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { ADMIN, startTestService, type TestService } from "#service/testing/test-service.ts";
import { twitchCheckJob } from "./twitch-watch.ts";

const MINUTE_MS = 60_000;

let vodkeep: TestService;
let admin: TestClient;
beforeEach(async () => {
  vodkeep = await startTestService();
  admin = await vodkeep.signIn(ADMIN);
});
afterEach(() => vodkeep.close());

/** Does the check if it is due. */
async function checkIfDue(): Promise<void> {
  await runDue(vodkeep.context, "twitch", twitchCheckJob(vodkeep.context), 1);
}

async function check(): Promise<void> {
  await vodkeep.platform.database.run(sql`UPDATE jobs SET due_at = 0 WHERE kind = 'twitch'`);
  await checkIfDue();
}

async function banner(): Promise<string | null> {
  return (await admin.expect(browserNotifications)).twitchFault;
}

async function health() {
  const { database, clock, runtime } = vodkeep.platform;
  return (await readHealth(database, runtime.startedAt, clock.now())).twitch;
}

function alarms() {
  return vodkeep.platform.database.all(
    sql`SELECT title, body FROM notification_events WHERE type = 'service_unhealthy'`,
  );
}

test("finds nothing where Twitch works, without loading media", async () => {
  await vodkeep.twitch.control.addFault({ match: { kind: "segment" }, fault: { type: "empty" } });
  await check();
  expect(await health()).toEqual({ status: "healthy", detail: null });
  expect(await banner()).toBeNull();
});

test("two failed checks in a row become a banner and one alert, until a check succeeds", async () => {
  await check();
  await vodkeep.twitch.control.addFault({
    match: { kind: "gql", body: "AccessToken" },
    fault: { type: "gqlError", message: "service is gone" },
    times: "forever",
  });
  await check();
  expect(await banner()).toBeNull();
  expect((await health()).status).toBe("degraded");
  await check();
  await check();
  expect(await banner()).toMatch(/^Playback: .*service is gone/);
  expect(await alarms()).toEqual([
    { title: "Unhealthy: Twitch", body: expect.stringMatching(/^Playback: /) },
  ]);
  await vodkeep.twitch.control.clearFaults();
  await check();
  expect(await banner()).toBeNull();
  expect((await health()).status).toBe("healthy");
});

test("the banner names what Twitch changed before the checks began to fail", async () => {
  await check();
  await vodkeep.twitch.control.addFault({
    match: { kind: "playlist" },
    fault: { type: "replace", pattern: "#EXTM3U", replacement: "#EXTM3X\n#EXT-X-NEW:1" },
    times: "forever",
  });
  await check();
  await check();
  expect(await banner()).toMatch(
    /^Playlist: .* Since 2\d{3}-\d\d-\d\d, Twitch sends something new: tag EXT-X-NEW\./,
  );
});

test("a VOD that only its subscribers may watch says nothing about Twitch", async () => {
  await vodkeep.twitch.control.addFault({
    match: { kind: "master" },
    fault: {
      type: "body",
      status: 403,
      contentType: "application/json",
      body: JSON.stringify([
        { error: "Manifest is restricted", error_code: "vod_manifest_restricted", type: "error" },
      ]),
    },
    times: "forever",
  });
  await check();
  await check();
  expect(await banner()).toBeNull();
});

test("checks hourly while Twitch works and every five minutes while it fails", async () => {
  const { database } = vodkeep.platform;
  async function checkedAtMs() {
    const [row] = await database.all(sql`SELECT max(checked_at) AS at FROM health_probes`);
    return row?.["at"];
  }
  async function look(afterMs: number): Promise<boolean> {
    vodkeep.clock.advance(afterMs);
    await vodkeep.twitch.keepTime();
    const before = await checkedAtMs();
    await checkIfDue();
    return (await checkedAtMs()) !== before;
  }
  expect(await look(0)).toBe(false);
  expect(await look(5 * MINUTE_MS)).toBe(true);
  expect(await look(5 * MINUTE_MS)).toBe(false);
  await vodkeep.twitch.control.addFault({
    match: { kind: "gql" },
    fault: { type: "status", status: 500 },
    times: "forever",
  });
  expect(await look(55 * MINUTE_MS)).toBe(true);
  expect(await look(5 * MINUTE_MS)).toBe(true);
  expect((await health()).status).toBe("unhealthy");
});
