import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sql } from "#service/db/sql.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { createTusUpload, sendTusBytes } from "#service/testing/tus-requests.ts";
import { openMeasuredWorker, type MeasuredWorker } from "./measured-worker.ts";

/** Of the 128 MB of an isolate; the rest is for garbage and for calls served meanwhile. */
const MOST_BYTES = 80_000_000;

const REQUESTS = 5;
const REQUEST_BYTES = 100_000_000;

/** Parts wait in memory for a store as slow as this. */
const PART_MS = 1_000;

/** A store slow enough for the engine to fetch ahead as much as it may. */
const SLOW_PART_MS = 3_000;

const SAMPLE_MS = 25;

let worker: MeasuredWorker;
let admin: TestClient;
beforeAll(async () => {
  worker = await openMeasuredWorker();
  admin = await worker.signIn("1001");
});
afterAll(() => worker.close());

async function upload(): Promise<void> {
  const created = await createTusUpload(admin, { "upload-length": String(REQUEST_BYTES) });
  expect(created.status).toBe(201);
  for (let offset = 0; offset < REQUEST_BYTES;) {
    const path = created.headers.get("location") ?? "";
    const bytes = new Uint8Array(REQUEST_BYTES - offset);
    const answer = await sendTusBytes(admin, path, offset, bytes);
    expect(answer.status).toBe(204);
    offset = Number(answer.headers.get("upload-offset"));
  }
}

/** The largest parts, with segments larger than any on Twitch. */
const LARGEST_PART_BYTES = 32 * 1024 * 1024;
const SEGMENTS = { segmentCount: 18, segmentSizeBytes: 12_500_000 };

async function archive(): Promise<void> {
  const vod = worker.twitch.control.addVod(SEGMENTS);
  worker.change([
    sql`INSERT OR IGNORE INTO users (id, login, display_name, created_at)
      VALUES (${vod.ownerId}, 'own', 'Own', 0)`,
    sql`INSERT INTO uploads (id, kind, vod_id, filename, owner_id, rights, status, max_retries,
        multipart_id, part_size_bytes, created_at, updated_at)
      VALUES ('large', 'twitch', ${vod.id}, 'measured', ${vod.ownerId}, 'administrator_confirmed',
        'pending', 0, 'large', ${LARGEST_PART_BYTES}, 0, 0)`,
  ]);
  const copied = worker.sink.objectOf("large");
  await worker.wake("large");
  await copied;
}

/**
 * The most that the isolate holds in two consecutive readings. A single reading may include memory
 * that the Worker has released since the forced collection.
 */
async function heldBytesOf(working: Promise<unknown>): Promise<number> {
  const isolate = await worker.inspect();
  const ended = new AbortController();
  const watched = working.finally(() => ended.abort());
  let mostBytes = 0;
  let lastBytes = 0;
  while (!ended.signal.aborted) {
    const heldBytes = await isolate.heldBytes();
    mostBytes = Math.max(mostBytes, Math.min(lastBytes, heldBytes));
    lastBytes = heldBytes;
    await pause(SAMPLE_MS);
  }
  await watched;
  isolate.close();
  return mostBytes;
}

it("five concurrent 100 MB uploads fit in an isolate's memory", async () => {
  worker.sink.partMs = PART_MS;
  const uploads = Array.from({ length: REQUESTS }, upload);
  expect(await heldBytesOf(Promise.all(uploads))).toBeLessThan(MOST_BYTES);
});

it("an archive with the largest parts fits in an isolate's memory", async () => {
  worker.sink.partMs = SLOW_PART_MS;
  expect(await heldBytesOf(archive())).toBeLessThan(MOST_BYTES);
});
