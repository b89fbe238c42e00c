import { hash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { TestClient } from "#service/testing/test-client.ts";
import { createTusUpload, sendTusBytes, TUS } from "#service/testing/tus-requests.ts";

/** A file that must arrive complete, whatever happened to the host meanwhile. */
export type SentFile = {
  readonly uploadId: string;
  readonly sizeBytes: number;
  readonly sha256: string;
};

export const SENT_FILENAME = "sent.mp4";

/** Up to three parts of 8 MiB; files end within parts and between them. */
const MAX_FILE_BYTES = 20_000_000;
const MAX_REQUEST_BYTES = 6_000_000;

/** Slowed down to about 25 MB/s, so that most kills interrupt a body. */
const CHUNK_BYTES = 128 * 1024;
const CHUNK_EVERY_MS = 5;

/** Retry interval while no host serves. */
const KNOCK_EVERY_MS = 50;

/**
 * Sends files by tus one after another, as a browser does: after a lost connection it asks with
 * HEAD for the stored offset and continues there. Acknowledged bytes must not be requested again.
 */
export function startManualSender(client: TestClient, random: () => number) {
  const sent: SentFile[] = [];
  const faults: string[] = [];
  let interruptions = 0;
  const ending = new AbortController();

  async function begin(sizeBytes: number): Promise<string> {
    const response = await ask(() =>
      createTusUpload(client, {
        "upload-length": String(sizeBytes),
        "upload-metadata": `filename ${btoa(SENT_FILENAME)}`,
      }),
    );
    const path = response.headers.get("location");
    if (path === null) throw new Error(`A manual upload was refused with ${response.status}`);
    return path;
  }

  /** The offset that the host acknowledged, or null when the connection was lost. */
  async function append(path: string, offset: number, bytes: Uint8Array): Promise<number | null> {
    try {
      const response = await sendTusBytes(client, path, offset, pacedBody(bytes));
      return response.status === 204 ? Number(response.headers.get("upload-offset")) : null;
    } catch {
      return null;
    }
  }

  async function sendFile(): Promise<void> {
    const bytes = new Uint8Array(Math.floor(random() * MAX_FILE_BYTES));
    fillAtRandom(bytes, random);
    const path = await begin(bytes.byteLength);
    let offset = 0;
    while (offset < bytes.byteLength) {
      const end = offset + 1 + Math.floor(random() * MAX_REQUEST_BYTES);
      const acknowledged = await append(path, offset, bytes.subarray(offset, end));
      if (acknowledged !== null) {
        offset = acknowledged;
        continue;
      }
      interruptions += 1;
      const head = await ask(() => client.send("HEAD", path, { headers: TUS }));
      const safe = Number(head.headers.get("upload-offset") ?? -1);
      if (safe < offset)
        faults.push(`${path}: ${offset} bytes were acknowledged, ${safe} are there`);
      offset = Math.max(safe, offset);
      if (safe < 0) return;
    }
    sent.push({
      uploadId: path.slice(path.lastIndexOf("/") + 1),
      sizeBytes: bytes.byteLength,
      sha256: hash("sha256", bytes),
    });
  }

  async function run(): Promise<void> {
    while (!ending.signal.aborted) await sendFile();
  }
  const running = run();
  running.catch((error: unknown) => faults.push(`Sending ended: ${String(error)}`));

  return {
    /** Files of which the host acknowledged every byte. */
    sent,
    /** Broken promises, as sentences. */
    faults,
    /** How often a request got no response and the file was resumed. */
    interruptions: () => interruptions,
    /** Starts no further file and waits for the current one. */
    async finish(): Promise<void> {
      ending.abort();
      await running;
    },
  };
}

function pacedBody(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      if (at >= bytes.byteLength) {
        controller.close();
        return;
      }
      await pause(CHUNK_EVERY_MS);
      controller.enqueue(bytes.slice(at, at + CHUNK_BYTES));
      at += CHUNK_BYTES;
    },
  });
}

function fillAtRandom(bytes: Uint8Array, random: () => number): void {
  const words = new Uint32Array(bytes.buffer, 0, Math.floor(bytes.byteLength / 4));
  for (let index = 0; index < words.length; index += 1) words[index] = random() * 2 ** 32;
}

/** Retries until a host answers. */
async function ask(makeRequest: () => Promise<Response>): Promise<Response> {
  for (;;) {
    try {
      const response = await makeRequest();
      if (response.status < 500) return response;
    } catch {
      // The host was killed or has not started yet.
    }
    await pause(KNOCK_EVERY_MS);
  }
}
