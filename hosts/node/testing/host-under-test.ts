import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { migrate } from "#service/db/migrate.ts";
import type { HostUnderTest } from "#service/testing/host-under-test.ts";
import { startReceiver } from "#stand-ins/receiver/server.ts";
import { startTwitchStandIn } from "#stand-ins/twitch/server.ts";
import { openSqliteDatabase } from "../database.ts";
import { createLogSink } from "../log-sink.ts";
import { openNodePlatform } from "../platform.ts";

const SHARE_OF_RUNS = Number(process.env["SHARE_OF_RUNS"] ?? 1);

/** One process and one folder, as in `npm start`. */
export const host: HostUnderTest = {
  runsOf: (runsOnNode) => Math.ceil(runsOnNode * SHARE_OF_RUNS),

  async openPlatform(settings, clock) {
    const folder = await mkdtemp(join(tmpdir(), "vodkeep-test-"));
    const lines: string[] = [];
    const logs = createLogSink(clock, { write: (text) => lines.push(text) });
    const opened = await openNodePlatform(settings, folder, logs);
    return {
      platform: {
        ...opened.platform,
        clock,
        // Each archive would start a thread again, and collect the garbage of all test files.
        runtime: { ...opened.platform.runtime, releaseMemory: () => undefined },
      },
      folder,
      log: () => lines.join(""),
      attachConsumer: (service) => opened.attachConsumer((message) => service.consume(message)),
      quiesce: () => opened.quiesce(),
      async close() {
        await opened.close();
        // Abandoned work of the service may still write files and refill the folder.
        await rm(folder, { recursive: true, force: true, maxRetries: 10 });
      },
    };
  },

  async openDatabase() {
    const database = openSqliteDatabase(":memory:");
    await migrate(database, 0);
    return database;
  },

  async startTwitch(options, clock) {
    const twitch = await startTwitchStandIn({ ...options, now: () => clock.now() });
    return { ...twitch, keepTime: async () => undefined };
  },

  startReceiver,
};
