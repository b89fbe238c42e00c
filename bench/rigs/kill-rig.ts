import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import * as auth from "#contract/auth.ts";
import { objectKeySchema } from "#contract/files.ts";
import { getUpload, startUpload } from "#contract/uploads.ts";
import { systemClock } from "#hosts/node/clock.ts";
import { createDigestThreads } from "#hosts/node/digest-threads.ts";
import { openFolderStore } from "#hosts/node/folder-store.ts";
import { archiveKeys, sidecarKeys } from "#service/archiver/object-keys.ts";
import { TestClient } from "#service/testing/test-client.ts";
import { chooseAccount } from "#service/testing/test-service.ts";
import * as z from "zod/mini";
import { startChild, type Child } from "./child.ts";
import { createSeededRandom } from "./random.ts";

/**
 * Kills the real host with kill -9 at random moments while it archives from the stand-in, starts
 * it again, and in the end compares: every object byte for byte with its source, everything in the
 * store with what may be there, every byte the source sent with what it has.
 */
export type KillRigOptions = {
  readonly kills: number;
  readonly seed: number;
  /** No further kill after this long; the run then finishes what is under way. */
  readonly killingForMs: number;
  readonly report: (line: string) => void;
};

export type KillRigResult = {
  readonly kills: number;
  readonly archives: number;
  readonly sourceBytes: number;
  /** What was fetched more than once, on average for each kill. */
  readonly extraBytesPerKill: number;
  readonly slowestResumeMs: number;
  /** Sentences; empty when every promise held. */
  readonly faults: readonly string[];
};

/** One unsealed part, those on their way and the segments in flight (64 MiB of copy memory). */
const MAX_EXTRA_BYTES_PER_KILL = 64 * 1024 * 1024;

const MAX_RESUME_MS = 30_000;

/** Long enough for the slowest VOD below, with the machine's other work. */
const FINISH_WITHIN_MS = 120_000;

const VODS = [
  { container: "ts", segmentCount: 30, segmentSizeBytes: [4_000_000, 900_000, 6_500_000] },
  { container: "fmp4", segmentCount: 40, segmentSizeBytes: 2_500_000 },
  { container: "ts", segmentCount: 3, segmentSizeBytes: 30_000_000 },
  { container: "ts", segmentCount: 200, segmentSizeBytes: [300_000, 700_000] },
  { container: "multi-init-fmp4", segmentCount: 24, segmentSizeBytes: 3_000_000 },
  { container: "ts", segmentCount: 1, segmentSizeBytes: 50_000 },
] as const;

/** Paced, so that an archive lives long enough to be killed a few times. */
const PACE_BYTES_PER_SECOND = 40_000_000;

const ADMIN = "1001";

export async function runKillRig(options: KillRigOptions): Promise<KillRigResult> {
  const random = createSeededRandom(options.seed);
  const folder = await mkdtemp(join(tmpdir(), "vodkeep-kill-"));
  const twitch = await startChild("stand-ins/twitch/main.ts", {});
  const rig = await openRig(folder, twitch);
  const faults: string[] = [];
  let host = await rig.startHost();
  const client = await rig.signIn();
  const archives: Archive[] = [];
  let kills = 0;
  let slowestResumeMs = 0;
  const startedMs = performance.now();
  try {
    while (kills < options.kills && performance.now() - startedMs < options.killingForMs) {
      const open = await unfinished(client, archives);
      for (let count = open; count < 3; count += 1) {
        const vod = VODS[archives.length % VODS.length] ?? VODS[0];
        archives.push(await rig.startArchive(client, vod));
      }
      // Half of the kills hit the start itself, half an archive at full speed.
      if (random() < 0.5) {
        const resumeMs = await rig.waitForSegments(host);
        if (resumeMs === null) {
          if ((await unfinished(client, archives)) > 0)
            faults.push(`Kill ${kills}: nothing was fetched within ${MAX_RESUME_MS} ms of a start`);
        } else slowestResumeMs = Math.max(slowestResumeMs, resumeMs);
      }
      await pause(random() * 1_200);
      await host.kill();
      kills += 1;
      host = await rig.startHost();
      if (kills % 10 === 0) options.report(`${kills} kills, ${archives.length} archives`);
    }
    await finishAll(client, archives, faults);
    await host.stop();
    const served = await checkArchives(rig, archives, faults);
    await checkStore(rig, archives, faults);
    const extraBytes = Math.max(0, served.sentBytes - served.sourceBytes);
    const extraBytesPerKill = extraBytes / Math.max(1, kills);
    if (extraBytesPerKill > MAX_EXTRA_BYTES_PER_KILL)
      faults.push(`${Math.round(extraBytesPerKill)} bytes were fetched again for each kill`);
    return {
      kills,
      archives: archives.length,
      sourceBytes: served.sourceBytes,
      extraBytesPerKill,
      slowestResumeMs,
      faults,
    };
  } finally {
    await host.kill();
    await twitch.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

type Archive = { readonly uploadId: string; readonly vodId: string; readonly ownerId: string };

type Rig = Awaited<ReturnType<typeof openRig>>;

const addressesSchema = z.object({
  url: z.string(),
  idUrl: z.string(),
  apiUrl: z.string(),
  gqlUrl: z.string(),
  usherUrl: z.string(),
  mediaHost: z.string(),
});
const ledgerSchema = z.object({
  requestsByKind: z.object({ segment: z.optional(z.number()) }),
  openMedia: z.number(),
});
const vodSchema = z.object({ id: z.string(), ownerId: z.string() });
const digestSchema = z.object({ sizeBytes: z.number(), sha256: z.string() });
const tallySchema = z.object({ sentBytes: z.number() });

async function openRig(folder: string, twitch: Child) {
  const addresses = addressesSchema.parse(twitch.ready);
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;

  async function control<Schema extends z.core.$ZodType>(
    schema: Schema,
    path: string,
    body?: unknown,
  ): Promise<z.output<Schema>> {
    const response = await fetch(`${addresses.url}/_control/${path}`, {
      method: body === undefined ? "GET" : "POST",
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
    return z.parse(schema, await response.json());
  }

  return {
    objectsFolder: join(folder, "objects"),
    databasePath: join(folder, "vodkeep.db"),
    control,
    startHost: () =>
      startChild("hosts/node/main.ts", {
        HOST: "127.0.0.1",
        PORT: String(port),
        PUBLIC_URL: publicUrl,
        DATA_DIR: folder,
        TWITCH_CLIENT_ID: "standinclientid",
        TWITCH_CLIENT_SECRET: "standinclientsecret",
        TWITCH_ID_URL: addresses.idUrl,
        TWITCH_API_URL: addresses.apiUrl,
        TWITCH_GQL_URL: addresses.gqlUrl,
        TWITCH_USHER_URL: addresses.usherUrl,
        TWITCH_MEDIA_HOSTS: addresses.mediaHost,
        ADMIN_TWITCH_IDS: ADMIN,
        RATE_LIMIT_FACTOR: "100000",
        MONTHLY_BUDGET_USD: "100000",
      }),
    async signIn(): Promise<TestClient> {
      const client = new TestClient((request) => fetch(request), publicUrl, publicUrl);
      const { authUrl } = await client.expect(auth.login);
      const back = await chooseAccount(authUrl, ADMIN);
      const grant = await client.expect(auth.callback, auth.callback.path, { body: back });
      client.token = grant.token;
      return client;
    },
    async startArchive(client: TestClient, vod: (typeof VODS)[number]): Promise<Archive> {
      const made = await control(vodSchema, "vods", {
        ...vod,
        paceBytesPerSecond: PACE_BYTES_PER_SECOND,
      });
      const upload = await client.expect(startUpload, startUpload.path, {
        body: { source: { type: "twitch", vodId: made.id }, rightsConfirmed: true },
      });
      return { uploadId: upload.id, vodId: made.id, ownerId: made.ownerId };
    },
    /** Milliseconds from the host's start until it fetches; null when it does not. */
    async waitForSegments(host: Child): Promise<number | null> {
      const before = await control(ledgerSchema, "ledger");
      for (;;) {
        const elapsedMs = performance.now() - host.startedAtMs;
        const now = await control(ledgerSchema, "ledger");
        const hasFetched = (now.requestsByKind.segment ?? 0) > (before.requestsByKind.segment ?? 0);
        if (hasFetched || now.openMedia > 0) return elapsedMs;
        if (elapsedMs > MAX_RESUME_MS) return null;
        await pause(20);
      }
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("No port was given");
  return address.port;
}

async function unfinished(client: TestClient, archives: readonly Archive[]): Promise<number> {
  let count = 0;
  for (const archive of archives.slice(-6)) {
    const upload = await readUpload(client, archive.uploadId);
    if (upload.status === "pending" || upload.status === "processing") count += 1;
  }
  return count;
}

function readUpload(client: TestClient, uploadId: string) {
  return client.expect(getUpload, `/admin/uploads/${uploadId}`);
}

async function finishAll(
  client: TestClient,
  archives: readonly Archive[],
  faults: string[],
): Promise<void> {
  const deadlineMs = performance.now() + FINISH_WITHIN_MS;
  for (const { uploadId } of archives) {
    let upload = await readUpload(client, uploadId);
    while (upload.status !== "completed" && performance.now() < deadlineMs) {
      if (upload.status === "failed" || upload.status === "cancelled") break;
      await pause(100);
      upload = await readUpload(client, uploadId);
    }
    if (upload.status !== "completed")
      faults.push(
        `${uploadId} is ${upload.status} (${upload.phase}): ${upload.errorMessage ?? "no reason"}`,
      );
  }
}

async function checkArchives(rig: Rig, archives: readonly Archive[], faults: string[]) {
  const threads = createDigestThreads();
  const store = await openFolderStore({ root: rig.objectsFolder, threads, clock: systemClock });
  let sourceBytes = 0;
  let sentBytes = 0;
  for (const archive of archives) {
    const source = await rig.control(digestSchema, `vods/${archive.vodId}/digest`);
    const tally = await rig.control(tallySchema, `ledger/${archive.vodId}`);
    sourceBytes += source.sizeBytes;
    sentBytes += tally.sentBytes;
    const found =
      (await store.get(archiveKeys(archive, "ts").object)) ??
      (await store.get(archiveKeys(archive, "fmp4").object));
    if (found === null) {
      faults.push(`${archive.uploadId} has no object`);
      continue;
    }
    const hash = createHash("sha256");
    for await (const chunk of found.body) hash.update(chunk);
    if (hash.digest("hex") !== source.sha256)
      faults.push(
        `${archive.uploadId} differs from its source: ${found.head.sizeBytes} bytes of ${source.sizeBytes}`,
      );
  }
  await store.close();
  await threads.close();
  return { sourceBytes, sentBytes };
}

/** Objects with what belongs beside them, and no other trace of all the runs that were killed. */
async function checkStore(rig: Rig, archives: readonly Archive[], faults: string[]) {
  const threads = createDigestThreads();
  const store = await openFolderStore({ root: rig.objectsFolder, threads, clock: systemClock });
  const allowed = new Set(
    archives.flatMap((archive) => [
      archiveKeys(archive, "ts").object,
      archiveKeys(archive, "fmp4").object,
      ...sidecarKeys(archiveKeys(archive, "ts").object),
    ]),
  );
  let cursor: string | null = "";
  while (cursor !== null) {
    const page: Awaited<ReturnType<typeof store.list>> = await store.list({ cursor });
    for (const { key } of page.objects)
      if (!allowed.has(objectKeySchema.parse(key))) faults.push(`${key} is left in the store`);
    cursor = page.cursor;
  }
  const multiparts = (await store.listMultiparts()) ?? [];
  for (const { key } of multiparts) faults.push(`An unfinished upload of ${key} is left`);
  await store.close();
  await threads.close();
  const database = new DatabaseSync(rig.databasePath, { readOnly: true });
  for (const leftover of ["upload_parts", "store_removals"]) {
    const row = database.prepare(`SELECT count(*) AS count FROM ${leftover}`).get();
    if (row?.count !== 0) faults.push(`${String(row?.count)} rows are left in ${leftover}`);
  }
  database.close();
}
