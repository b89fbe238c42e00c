import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { adminSchema } from "#contract/auth.ts";
import { PERMISSIONS } from "#contract/permissions.ts";
import { buildUpload } from "#contract/testing/build-upload.ts";
import { loadConsoleFiles } from "#hosts/node/console-files.ts";
import { createLogSink } from "#hosts/node/log-sink.ts";
import { openNodePlatform } from "#hosts/node/platform.ts";
import { consoleSecurityHeaders } from "#hosts/node/security-headers.ts";
import { listenOn } from "#hosts/node/server.ts";
import { makeTemporaryFolder } from "#hosts/node/testing/temporary-folder.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { createService } from "#service/app.ts";
import type { Platform } from "#service/platform.ts";
import { readSettings } from "#service/settings.ts";
import { UPLOADS_TOPIC } from "#service/storage/upload-events.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";
import { openSession } from "../open-session.ts";

/** The token of the session that all readers share. */
export const LIVE_TOKEN = "c".repeat(64);
export const LIVE_COOKIE = "d".repeat(64);

/** The session's user, as a browser stores it beside the token. */
export const LIVE_ADMIN = adminSchema.parse({
  id: "1",
  twitchId: "1",
  login: "bench",
  displayName: "Bench",
  profileImageUrl: null,
  isAdmin: true,
  permissions: PERMISSIONS,
  deployment: "folder",
});

/** One full page of the Upload Monitor. */
const LISTED_UPLOADS = 20;

export type LiveHost = Awaited<ReturnType<typeof startHost>>;

/**
 * The node host composed as in hosts/node/main.ts, with access to its hub: no external request can
 * cause an exact number of events a second.
 */
export async function startHost() {
  const folder = await makeTemporaryFolder();
  const server = await listenOn("127.0.0.1", 0);
  const settings = readSettings({
    PORT: String(server.port),
    SECRET_KEY: "a key for benches, not for keeping",
    TWITCH_CLIENT_ID: "bench",
    TWITCH_CLIENT_SECRET: "bench",
    RATE_LIMIT_FACTOR: "1000",
  });
  const host = await openNodePlatform(
    settings,
    folder.path,
    createLogSink(systemClock, { write() {} }),
  );
  const service = await createService(host.platform, settings);
  const { database, digests } = host.platform;
  await openSession(database, digests, { bearer: LIVE_TOKEN, cookie: LIVE_COOKIE });
  await seedUploads(host.platform);
  const apiOrigins = [new URL(settings.PUBLIC_URL).origin];
  server.serve({
    answer: (request, info) => service.fetch(request, info),
    consoleFiles: await loadConsoleFiles(
      fileURLToPath(new URL("../../dist/console", import.meta.url)),
      consoleSecurityHeaders({ apiOrigins, imageOrigins: [] }),
    ),
  });
  service.start();
  let published = 0;
  return {
    port: server.port,
    /** Publishes at an exact rate; resolves to the number of events published in total. */
    async publish(perSecond: number, seconds: number, uploads: number): Promise<number> {
      const startedMs = performance.now();
      for (let count = 0; count < perSecond * seconds; count += 1) {
        await pause(Math.max(0, startedMs + (count * 1_000) / perSecond - performance.now()));
        published += 1;
        await host.platform.hub.publish(UPLOADS_TOPIC, event(published, uploads));
      }
      return published;
    },
    end: () => folder.remove(),
  };
}

/** A change of an upload whose file name contains the event's number and time. */
function event(number: number, uploads: number): string {
  const id = `upload${number % uploads}`;
  const upload = buildUpload({ id, version: 1_000 + number, status: "processing" });
  const filename = `live-${number}-${process.hrtime.bigint()}.ts`;
  const progress = Math.floor(number / uploads) % 100;
  return JSON.stringify({ type: "upload_update", upload: { ...upload, filename, progress } });
}

async function seedUploads({ database, clock }: Platform): Promise<void> {
  for (let index = 0; index < LISTED_UPLOADS; index += 1)
    await seedUpload(database, {
      id: `upload${index}`,
      status: "processing",
      title: `Stream number ${index}`,
      atMs: clock.now() - index * 60_000,
    });
}
