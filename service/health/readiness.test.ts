import { afterAll, expect, test } from "vitest";
import { startTestService } from "#service/testing/test-service.ts";
import { recordProbes, type ProbeResult } from "./health-store.ts";

const vodkeep = await startTestService();
afterAll(() => vodkeep.close());

async function ask(address: string): Promise<{ status: number; body: unknown }> {
  // Each check is kept for five seconds.
  vodkeep.clock.advance(5_000);
  const answer = await vodkeep.service.fetch(new Request(`http://localhost:8787${address}`), {
    clientAddress: "127.0.0.1",
  });
  return { status: answer.status, body: await answer.json() };
}

async function probeStoreTwice(status: ProbeResult["status"]): Promise<void> {
  const result = { component: "r2Storage", status, detail: "s3.example refuses the key." } as const;
  for (const _ of [1, 2])
    await recordProbes(vodkeep.platform.database, [result], vodkeep.clock.now());
}

test("is ready while the store is healthy, and names the parts' status on request", async () => {
  expect(await ask("/readyz")).toEqual({ status: 200, body: { status: "ready" } });
  await probeStoreTwice("degraded");
  expect(await ask("/readyz?verbose")).toEqual({
    status: 200,
    body: {
      status: "ready",
      details: expect.objectContaining({ object_store: "degraded", database: "unknown" }),
    },
  });
  await probeStoreTwice("unhealthy");
  const away = await ask("/readyz?verbose");
  expect(away).toMatchObject({
    status: 503,
    body: {
      error: {
        message: "The object store cannot be used.",
        details: { object_store: "unhealthy" },
      },
    },
  });
  expect(JSON.stringify(away)).not.toContain("s3.example");
  await probeStoreTwice("healthy");
  expect((await ask("/readyz")).status).toBe(200);
});
