import { hash } from "node:crypto";
import { createService, type Service } from "#service/app.ts";
import { breakable } from "#hosts/node/breakable-body.ts";
import type { Database } from "#service/ports/database.ts";
import type { LiveHub } from "#service/ports/live-hub.ts";
import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import type { ResumeQueue } from "#service/ports/resume-queue.ts";
import type { Scheduler } from "#service/ports/scheduler.ts";
import type { Platform, Runtime } from "#service/platform.ts";
import type { Settings } from "#service/settings.ts";
import type { SeededDice } from "../seeded-dice.ts";
import type { Connect, Life } from "./life.ts";
import type { SharedMail } from "./shared-mail.ts";
import type { SharedStore } from "./shared-store.ts";
import type { Timeline } from "./timeline.ts";

/** What all processes of a deployment share. */
export type Deployment = {
  readonly database: Connect<Database>;
  readonly store: SharedStore;
  readonly queue: Connect<ResumeQueue>;
  readonly hub: Connect<LiveHub>;
  readonly mail: SharedMail;
  readonly twitch: Connect<OutgoingFetch>;
  readonly settings: Settings;
  readonly runtime: Omit<Runtime, "host" | "startedAt">;
};

/** Tasks that neither move nor remove an upload; they would take half of the simulation's time. */
const LEFT_OUT = /probe|cost|storage peak|retention|scrub|seals|audit head|counts|token/;

/** Some tasks look every second or two, and mostly find nothing to do. */
const LEAST_INTERVAL_MS = 20_000;

/**
 * Starts the service in a new life of a process. The life that leads does the background work, of
 * which only tasks that `runsTask` accepts by their names.
 */
export async function openService(
  life: Life,
  shared: Deployment,
  timeline: Timeline,
  dice: SeededDice,
  isLeader: boolean,
  runsTask = (name: string): boolean => !LEFT_OUT.test(name),
): Promise<Service> {
  const platform = platformOf(life, shared, timeline, dice, runsTask);
  const service = await createService(platform, shared.settings);
  await service.openStore();
  service.start({ streams: false, tasks: isLeader });
  return service;
}

function platformOf(
  life: Life,
  shared: Deployment,
  timeline: Timeline,
  dice: SeededDice,
  runsTask: (name: string) => boolean,
): Platform {
  const clock = {
    now: () => timeline.now(),
    monotonic: () => timeline.monotonic(),
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (signal?.aborted === true) {
          resolve();
          return;
        }
        signal?.addEventListener("abort", () => resolve(), { once: true });
        if (ms < Infinity) life.later(ms, resolve);
      }),
  };
  const scheduler: Scheduler = {
    every(intervalMs, name, run) {
      if (!runsTask(name)) return;
      async function loop(): Promise<void> {
        await run().catch(() => undefined);
        life.later(Math.max(intervalMs, LEAST_INTERVAL_MS), () => void loop());
      }
      life.later(0, () => void loop());
    },
  };
  return {
    database: shared.database(life),
    objects: shared.store.connect(life),
    cache: { get: async () => null, set: async () => undefined, clear: async () => 0 },
    queue: shared.queue(life),
    hub: shared.hub(life),
    scheduler,
    fetch: shared.twitch(life),
    webhookFetch: shared.twitch(life),
    clock,
    random: {
      bytes: (length) => Uint8Array.from({ length }, () => dice.between(0, 255)),
    },
    logs: { write: () => undefined },
    digests: {
      sha256: (bytes) => digest(life, dice, "sha256", bytes),
      md5: (bytes) => digest(life, dice, "md5", bytes),
    },
    breakable,
    telemetry: null,
    mail: shared.mail.connect(life),
    runtime: { ...shared.runtime, host: life.name, startedAt: new Date(timeline.now()) },
  };
}

/** Computed at the call: afterwards the caller may reuse the buffer of an abandoned call. */
function digest(
  life: Life,
  dice: SeededDice,
  algorithm: "md5" | "sha256",
  bytes: Uint8Array,
): Promise<string> {
  const hex = hash(algorithm, bytes, "hex");
  return new Promise((resolve) => life.later(dice.random() * 5, () => resolve(hex)));
}
