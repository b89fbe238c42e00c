import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { TestClient } from "#service/testing/test-client.ts";
import { openMeasuredWorker, type MeasuredWorker } from "./measured-worker.ts";

/** Of the 128 MB of an isolate, which may serve calls beside. */
const MOST_BYTES = 96_000_000;

const REQUESTS = 5;
const REQUEST_BYTES = 100_000_000;

/** Parts wait in memory for a store as slow as this. */
const PART_MS = 1_000;

const SAMPLE_MS = 25;
const VERSION = { "tus-resumable": "1.0.0" };

let worker: MeasuredWorker;
let admin: TestClient;
beforeAll(async () => {
  worker = await openMeasuredWorker();
  admin = await worker.signIn();
  worker.sink.partMs = PART_MS;
}, 120_000);
afterAll(() => worker.close());

async function upload(): Promise<void> {
  const created = await admin.send("POST", "/admin/uploads/manual", {
    headers: { ...VERSION, "upload-length": String(REQUEST_BYTES) },
  });
  expect(created.status).toBe(201);
  for (let offset = 0; offset < REQUEST_BYTES;) {
    const answer = await admin.send("PATCH", created.headers.get("location") ?? "", {
      rawBody: new Uint8Array(REQUEST_BYTES - offset),
      headers: {
        ...VERSION,
        "content-type": "application/offset+octet-stream",
        "upload-offset": String(offset),
      },
    });
    expect(answer.status).toBe(204);
    offset = Number(answer.headers.get("upload-offset"));
  }
}

it("five requests of 100 MB at a time fit in an isolate", async () => {
  const isolate = await worker.inspect();
  const total = async () => {
    const { heapBytes, bufferBytes } = await isolate.memory();
    return heapBytes + bufferBytes;
  };
  const ended = new AbortController();
  let heldBytes = 0;
  const uploading = Promise.all(Array.from({ length: REQUESTS }, upload)).finally(() =>
    ended.abort(),
  );
  while (!ended.signal.aborted) {
    await isolate.collectGarbage();
    heldBytes = Math.max(heldBytes, await total());
    await pause(SAMPLE_MS);
  }
  await uploading;
  isolate.close();
  expect(heldBytes).toBeLessThan(MOST_BYTES);
}, 300_000);
