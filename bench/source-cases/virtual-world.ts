import { hash } from "node:crypto";
import { breakable } from "#hosts/node/breakable-body.ts";
import { openSqliteDatabase } from "#hosts/node/database.ts";
import { createLogSink } from "#hosts/node/log-sink.ts";
import { systemRandom } from "#hosts/ports/random.ts";
import { migrate } from "#service/db/migrate.ts";
import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import type { Settings } from "#service/settings.ts";
import { createArchiveWorld, type ArchiveWorldOptions } from "#service/testing/archive-world.ts";
import type { PlatformUnderTest } from "#service/testing/host-under-test.ts";
import { steerDirectly } from "#stand-ins/twitch/control/steer-twitch.ts";
import { startTwitchStandIn } from "#stand-ins/twitch/server.ts";
import { createSeededDice } from "../seeded-dice.ts";
import { drawFaults, endFaults } from "../simulate/faults.ts";
import { createLife } from "../simulate/life.ts";
import { createSharedHub, createSharedQueue } from "../simulate/shared-queue.ts";
import { createSharedStore } from "../simulate/shared-store.ts";
import { createTimeline } from "../simulate/timeline.ts";
import { createTrace } from "../simulate/trace.ts";
import { useVirtualGlobals } from "../simulate/virtual-globals.ts";

/** From a request to its answer. */
const LATENCY_MS = 40;
/** Turns of the event loop that one step of the service may take. */
const MOST_TURNS = 100_000;
/** The real one: scenes get a virtual one. */
const { setImmediate: afterMicrotasks } = globalThis;

/**
 * The stand-in, the simulation's store and an archiver on a timeline: hours pass at once, and the
 * speed of the machine changes nothing. Whatever waits has to be inside `play`.
 */
export async function openVirtualWorld(options: Omit<ArchiveWorldOptions, "clockFactor"> = {}) {
  const timeline = createTimeline(Date.now());
  const standIn = await startTwitchStandIn({ now: () => timeline.now() });
  const twitch = {
    ...standIn,
    control: steerDirectly(standIn.control),
    keepTime: async () => undefined,
  };
  const dice = createSeededDice(1);
  const faults = drawFaults(dice);
  endFaults(faults);
  const trace = createTrace(timeline, timeline.now());
  const life = createLife("node", { timeline, dice, trace, onDeath: () => undefined });

  const fetch: OutgoingFetch = (url, init) =>
    new Promise((resolve, reject) => {
      init?.signal?.addEventListener("abort", () => reject(init.signal?.reason), { once: true });
      timeline.at(LATENCY_MS, () => standIn.fetch(url, init).then(resolve, reject));
    });

  async function openPlatform({ ARCHIVE_CONCURRENCY }: Settings): Promise<PlatformUnderTest> {
    const lines: string[] = [];
    const database = openSqliteDatabase(":memory:");
    await migrate(database, timeline.now());
    return {
      platform: {
        database,
        objects: createSharedStore(timeline, faults, dice, "sha-256").connect(life),
        cache: { get: async () => null, set: async () => undefined, clear: async () => 0 },
        queue: createSharedQueue(timeline, faults, dice, () => undefined)(life),
        hub: createSharedHub(dice)(life),
        scheduler: { every: () => undefined },
        fetch,
        webhookFetch: fetch,
        clock: timeline,
        random: systemRandom,
        logs: createLogSink(timeline, { write: (text) => lines.push(text) }),
        digests: {
          sha256: async (bytes) => hash("sha256", bytes),
          md5: async (bytes) => hash("md5", bytes),
        },
        breakable,
        telemetry: null,
        mail: null,
        runtime: {
          startedAt: new Date(timeline.now()),
          host: "node",
          smallestPartBytes: 8 * 1024 * 1024,
          copyBufferBytes: 52 * 1024 * 1024,
          bodyBufferBytes: 48 * 1024 * 1024,
          connectionsPerArchive: 6,
          sliceMs: 3_600_000,
          longestRunMs: Infinity,
          checkpointBytes: 0,
          progressEveryMs: 1_000,
          archiveConcurrency: ARCHIVE_CONCURRENCY,
          archivePlaces: ARCHIVE_CONCURRENCY,
          isSoleWriter: true,
        },
      },
      folder: null,
      log: () => lines.join(""),
      attachConsumer: () => undefined,
      quiesce: async () => undefined,
      close: () => database.close(),
    };
  }

  const world = await createArchiveWorld({ clock: timeline, twitch, openPlatform }, options);
  /** Runs the timeline until the scene is over. */
  async function play(scene: () => Promise<void>): Promise<void> {
    const restoreGlobals = useVirtualGlobals(timeline);
    try {
      const end = new AbortController();
      const played = Promise.allSettled([scene()]).finally(() => end.abort());
      for (let turns = 0; !end.signal.aborted && turns < MOST_TURNS; turns += 1) {
        await timeline.run(() => end.signal.aborted);
        await new Promise((resolve) => afterMicrotasks(resolve));
      }
      if (!end.signal.aborted)
        throw new Error("The scene waits for something that is not on the timeline");
      for (const settled of await played) if (settled.status === "rejected") throw settled.reason;
    } finally {
      restoreGlobals();
    }
  }

  return { ...world, play };
}
