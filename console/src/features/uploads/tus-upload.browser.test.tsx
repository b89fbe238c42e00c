import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Send } from "./tus-requests.ts";
import { openTusUpload } from "./tus-upload.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const fileOf = (sizeBytes: number) => new File([new Uint8Array(sizeBytes)], "holiday.mp4");
const FILE = fileOf(10);
const ADDRESS = "http://localhost/admin/uploads/manual/01";

const MIB = 1024 * 1024;

type Server = {
  /** By method, one after the other; afterwards the protocol's own. */
  readonly statuses?: Readonly<Record<string, readonly number[]>>;
  /** The line cuts every longer request. */
  readonly limitBytes?: number;
  /** The line carries so much; a chunk that is cancelled is lost. */
  readonly bytesPerSec?: number;
};

/** Uploads a file to a server whose answers are scripted. */
function send(
  file: File,
  url: string | null,
  { statuses = {}, limitBytes = Infinity, bytesPerSec = Infinity }: Server,
) {
  const asked: string[] = [];
  const chunks: number[] = [];
  const told: string[] = [];
  const stored: number[] = [];
  let storedBytes = 0;
  const answer: Send = async (_address, { method, body, signal }) => {
    const status = statuses[method]?.[asked.filter((one) => one === method).length];
    asked.push(method);
    if (body !== undefined) {
      chunks.push(body.size / MIB);
      if (body.size > limitBytes) throw new TypeError("Failed to fetch");
      await new Promise((resolve, reject) => {
        setTimeout(resolve, (body.size / bytesPerSec) * 1_000);
        signal?.addEventListener("abort", () => reject(new TypeError("aborted")));
      });
      if (status === undefined) storedBytes += body.size;
    }
    return new Response(null, {
      status: status ?? { POST: 201, HEAD: 200 }[method as string] ?? 204,
      headers: { Location: ADDRESS, "Upload-Offset": String(storedBytes) },
    });
  };
  void openTusUpload(
    file,
    url,
    {
      onAddress: () => undefined,
      onSending: () => undefined,
      onStored: (bytes) => stored.push(bytes / MIB),
      onWaiting: () => told.push("waiting"),
      onSent: () => told.push("sent"),
      onGone: () => told.push("gone"),
      onFailed: (reason) => told.push(reason),
    },
    answer,
  ).start();
  return { asked, chunks, told, stored };
}

test("a proxy that answers 404 to chunks gets one upload, which fails", async () => {
  const { asked, told } = send(FILE, null, { statuses: { PATCH: [404] } });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toEqual(["POST", "PATCH"]);
  expect(told).toEqual([expect.stringMatching(/refused this upload with status 404/)]);
});

test("an upload whose offset can't be read is not replaced by another", async () => {
  const { asked, told } = send(FILE, null, { statuses: { PATCH: [502], HEAD: [502, 502] } });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toEqual(["POST", "PATCH", "HEAD", "HEAD", "HEAD", "PATCH"]);
  expect(told).toEqual(["waiting", "waiting", "waiting", "sent"]);
});

test("an interrupted chunk is sent again in halves, which grow after a run of whole ones", async () => {
  const { chunks, told } = send(fileOf(12 * MIB), null, { limitBytes: MIB });
  await vi.advanceTimersByTimeAsync(60_000);
  const whole = Array<number>(8).fill(1);
  expect(chunks).toEqual([1, 2, ...whole, 2, ...whole.slice(0, 3)]);
  expect(told.at(-1)).toBe("sent");
});

test("on a good line chunks grow at once", async () => {
  const { chunks, stored } = send(fileOf(31 * MIB), null, { bytesPerSec: 4 * MIB });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(chunks).toEqual([1, 2, 4, 8, 8, 8]);
  expect(stored).toEqual([0, 1, 3, 7, 15, 23, 31]);
});

test("on a slow line chunks stay small, and those above 15 s are halved", async () => {
  const slow = send(fileOf(4 * MIB), null, { bytesPerSec: MIB / 4 });
  await vi.advanceTimersByTimeAsync(17_000);
  expect(slow.chunks).toEqual([1, 2, 1]);
  const slower = send(fileOf(MIB), null, { bytesPerSec: MIB / 80 });
  await vi.advanceTimersByTimeAsync(60_000);
  expect([slower.chunks, slower.stored]).toEqual([
    [1, 1 / 2, 1 / 4, 1 / 4],
    [0, 0, 0, 1 / 4],
  ]);
});

test("chunks have a smallest size, with which a line is tried again", async () => {
  const { chunks, told } = send(fileOf(MIB), null, { limitBytes: MIB / 8 });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(chunks.slice(0, 5)).toEqual([1, 1 / 2, 1 / 4, 1 / 4, 1 / 4]);
  expect(new Set(told)).toEqual(new Set(["waiting"]));
});

test("an upload that the server no longer has is reported", async () => {
  const { asked, told } = send(FILE, ADDRESS, { statuses: { HEAD: [404] } });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toEqual(["HEAD"]);
  expect(told).toEqual(["gone"]);
});

test("an unreachable server is retried with increasing delays", async () => {
  const { asked } = send(FILE, ADDRESS, { statuses: { HEAD: Array<number>(9).fill(503) } });
  for (const [afterMs, attempts] of [
    [999, 1],
    [1, 2],
    [2_000, 3],
    [5_000, 4],
  ] as const) {
    await vi.advanceTimersByTimeAsync(afterMs);
    expect(asked).toHaveLength(attempts);
  }
});
