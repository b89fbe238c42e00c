import { systemClock } from "#hosts/ports/clock.ts";
import type { HostUnderTest } from "#service/testing/host-under-test.ts";
import type { Bindings } from "../bindings.ts";
import { createBeatScheduler } from "../beat-scheduler.ts";
import { createWorkerLogSink } from "../log-sink.ts";
import { openD1Database } from "../d1-database.ts";
import { openCloudflarePlatform, type PlatformOptions } from "../platform.ts";
import { NO_SCHEDULER } from "../hosted-service.ts";
import { bindings } from "./bindings.ts";
import { setConsumer } from "./consumer.ts";
import { keepTimeOutside, startReceiverOutside, startTwitchOutside } from "./steering.ts";
import { emptyDatabase, giveBackStorageSlot, takeStorageSlot } from "./storage-slots.ts";

/** Shorter than the scheduler's beat of two seconds, so that tests do not wait for it. */
const BEAT_MS = 50;

/** A statement takes one millisecond here instead of 20 microseconds. */
const SHARE_OF_RUNS = 0.04;

let opened = 0;

/** The Worker's own parts, in its runtime. */
export const host: HostUnderTest = {
  runsOf: (runsOnNode) => Math.ceil(runsOnNode * SHARE_OF_RUNS),

  async openPlatform(settings, clock) {
    const slot = await takeStorageSlot();
    opened += 1;
    const hubName = `test ${opened}`;
    const own: Bindings = {
      ...bindings,
      ...slot,
      // Each service is a separate deployment.
      VERSION: { ...bindings.VERSION, timestamp: new Date(clock.now()).toISOString() },
      LIVE_HUB: Object.assign(Object.create(bindings.LIVE_HUB), {
        // Called for each use, as in the product: a stub belongs to the event that created it.
        getByName: () => bindings.LIVE_HUB.getByName(hubName),
      }),
    };
    const lines: string[] = [];
    const logs = createWorkerLogSink({ log: (line: string) => lines.push(`${line}\n`) });
    const scheduler = createBeatScheduler(clock, logs);
    const ending = new AbortController();

    function open(options: PlatformOptions) {
      const one = openCloudflarePlatform(own, settings, options);
      const { platform } = one;
      return {
        ...one,
        platform: {
          ...platform,
          clock,
          fetch: async (url: string, init?: RequestInit) => {
            await keepTimeOutside();
            return await platform.fetch(url, init);
          },
        },
      };
    }

    async function beatUntilEnd(): Promise<void> {
      while (!ending.signal.aborted) {
        await Promise.all([scheduler.beat(), systemClock.sleep(BEAT_MS, ending.signal)]);
        await hosted.flushLogs();
      }
    }

    const hosted = open({ logs, scheduler });
    let beating: Promise<void> = Promise.resolve();
    return {
      platform: hosted.platform,
      folder: null,
      log: () => lines.join(""),
      /** As in production, each message is handled by a separate service. */
      attachConsumer(_service, openAnother) {
        beating = beatUntilEnd();
        setConsumer(async (message) => {
          const slice = open({ logs, scheduler: NO_SCHEDULER });
          const service = await openAnother(slice.platform);
          try {
            await service.consume(message);
          } finally {
            await service.stop();
            await slice.close();
          }
        });
      },
      async quiesce() {
        ending.abort();
        setConsumer(async () => undefined);
        await beating;
      },
      async close() {
        await hosted.close();
        giveBackStorageSlot(slot);
      },
    };
  },

  async openDatabase() {
    await emptyDatabase(bindings.DB_ALONE);
    return { ...openD1Database(bindings.DB_ALONE), close: async () => undefined };
  },

  startTwitch: startTwitchOutside,
  startReceiver: startReceiverOutside,
};
