import { afterEach, beforeEach, expect, test } from "vitest";
import { sql } from "#service/db/sql.ts";
import { startTestService, type TestService } from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";
import { probeQueue } from "./queue-probe.ts";

const MINUTE_MS = 60_000;

let vodkeep: TestService;

beforeEach(async () => {
  vodkeep = await startTestService();
  for (const id of ["a", "b", "c"])
    await seedUpload(vodkeep.platform.database, { id, atMs: vodkeep.clock.now() });
});
afterEach(() => vodkeep.close());

/** Marks it as run by a runner that has just renewed its lease. */
async function run(id: string): Promise<void> {
  const nowMs = vodkeep.clock.now();
  await vodkeep.platform.database.run(sql`
    UPDATE uploads SET status = 'processing', lease_owner = 'runner', lease_until = ${nowMs + 20_000}
    WHERE id = ${id}`);
}

test("the queue stays healthy while all slots are busy, even after a day of waiting", async () => {
  vodkeep.clock.advance(24 * 60 * MINUTE_MS);
  await run("a");
  await run("b");
  expect(await probeQueue(vodkeep)).toEqual({
    status: "healthy",
    detail: "1 waiting, all slots are busy.",
  });
});

test("the queue becomes degraded, then unhealthy when nothing takes waiting archives", async () => {
  expect(await probeQueue(vodkeep)).toEqual({ status: "healthy", detail: null });
  vodkeep.clock.advance(3 * MINUTE_MS);
  const waiting = "3 waiting, the oldest for 3 minutes; no worker picks them up.";
  expect(await probeQueue(vodkeep)).toEqual({ status: "degraded", detail: waiting });
  vodkeep.clock.advance(13 * MINUTE_MS);
  await expect(probeQueue(vodkeep)).rejects.toThrow("the oldest for 16 minutes");
});

test("the time during which the only process was down does not count", async () => {
  vodkeep.clock.advance(180 * MINUTE_MS);
  const { platform } = vodkeep;
  const startedAt = new Date(vodkeep.clock.now());
  const runtime = { ...platform.runtime, isSoleWriter: true, startedAt };
  const restarted = { platform: { ...platform, runtime } };
  expect(await probeQueue(restarted)).toEqual({ status: "healthy", detail: null });
});

test("a runner that died an hour ago does not occupy a slot", async () => {
  await run("a");
  vodkeep.clock.advance(60 * MINUTE_MS);
  await expect(probeQueue(vodkeep)).rejects.toThrow("3 waiting");
});

test("the queue is degraded when all slots are stalled", async () => {
  await run("a");
  await vodkeep.platform.database.run(sql`
    UPDATE uploads SET stalled_at = ${vodkeep.clock.now()} WHERE id = 'a'`);
  expect(await probeQueue(vodkeep)).toEqual({
    status: "degraded",
    detail: "2 waiting, all slots are stalled.",
  });
});

test("archives that are not due yet do not count as waiting", async () => {
  await vodkeep.platform.database.run(sql`
    UPDATE uploads SET next_attempt_at = ${vodkeep.clock.now() + 90 * MINUTE_MS}`);
  vodkeep.clock.advance(60 * MINUTE_MS);
  expect(await probeQueue(vodkeep)).toEqual({ status: "healthy", detail: null });
});
