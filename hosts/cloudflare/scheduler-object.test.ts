import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { expect, it, vi } from "vitest";
import type { Bindings } from "./bindings.ts";
import worker from "./main.ts";
import { SchedulerObject } from "./scheduler-object.ts";
import { bindings } from "./testing/bindings.ts";

const broken = new Proxy(bindings.DB, {
  get: () => () => {
    throw new Error("D1 is not available");
  },
});

/** More often than the runtime retries an alarm that throws. */
const BEATS = 8;

const SCHEDULED = { cron: "", scheduledTime: 0, noRetry: () => undefined };

const SETTINGS = { SECRET_KEY: "a key for tests, not for keeping" };

it.each<[string, object]>([
  ["the schema cannot be migrated", { ...SETTINGS, DB: broken }],
  ["a setting is missing", { SECRET_KEY: undefined }],
  ["the service cannot start", { ...SETTINGS, VERSION: undefined }],
])("alarms keep being scheduled when %s", async (_when, change) => {
  vi.spyOn(console, "log").mockReturnValue(undefined);
  const stub = bindings.SCHEDULER.getByName(crypto.randomUUID());
  await runInDurableObject(stub, async (_instance, state) => {
    const object = new SchedulerObject(state, { ...bindings, ...change });
    await object.wake().catch(() => undefined);
    for (let beat = 0; beat < BEATS; beat += 1) {
      expect(await state.storage.getAlarm()).not.toBeNull();
      await state.storage.deleteAlarm();
      await object.alarm();
    }
    expect(await state.storage.getAlarm()).not.toBeNull();
    await state.storage.deleteAlarm();
  });
  vi.restoreAllMocks();
});

it("the cron trigger restarts a scheduler without an alarm", async () => {
  const environment: Bindings = Object.assign({ ...bindings }, SETTINGS);
  const stub = environment.SCHEDULER.getByName("main");
  await stub.wake().catch(() => undefined);
  await runInDurableObject(stub, (_instance, state) => state.storage.deleteAlarm());
  expect(await runDurableObjectAlarm(stub)).toBe(false);
  await worker.scheduled(SCHEDULED, environment).catch(() => undefined);
  await runInDurableObject(stub, async (_instance, state) => {
    expect(await state.storage.getAlarm()).not.toBeNull();
    await state.storage.deleteAlarm();
  });
});
