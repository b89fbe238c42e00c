import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { HttpStack } from "tus-js-client";
import { openTusUpload } from "./tus-upload.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const FILE = new File(["0123456789"], "holiday.mp4");
const ADDRESS = "http://localhost/admin/uploads/manual/01";

/** Answers requests with these statuses, by method; others get the protocol's own. */
function send(url: string | null, statuses: Readonly<Record<string, readonly number[]>>) {
  const asked: string[] = [];
  const told: string[] = [];
  const httpStack: HttpStack = {
    getName: () => "scripted",
    createRequest: (method) => ({
      getMethod: () => method,
      getURL: () => ADDRESS,
      setHeader: () => undefined,
      getHeader: () => undefined,
      setProgressHandler: () => undefined,
      getUnderlyingObject: () => null,
      abort: async () => undefined,
      async send() {
        const status = statuses[method]?.[asked.filter((one) => one === method).length];
        asked.push(method);
        const headers = new Map([
          ["Location", ADDRESS],
          ["Upload-Length", "10"],
          ["Upload-Offset", method === "HEAD" ? "4" : "10"],
        ]);
        return {
          getStatus: () => status ?? { POST: 201, HEAD: 200 }[method] ?? 204,
          getHeader: (name) => headers.get(name),
          getBody: () => "",
          getUnderlyingObject: () => null,
        };
      },
    }),
  };
  const upload = openTusUpload(
    FILE,
    url,
    {
      onAddress: () => undefined,
      onProgress: () => undefined,
      onWaiting: () => told.push("waiting"),
      onSent: () => told.push("sent"),
      onGone: () => told.push("gone"),
      onFailed: (reason) => told.push(reason),
    },
    httpStack,
  );
  upload.start();
  return { asked, told };
}

test("a proxy that answers 404 to chunks gets one upload, which fails", async () => {
  const { asked, told } = send(null, { PATCH: [404] });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toEqual(["POST", "PATCH"]);
  expect(told).toEqual([expect.stringMatching(/refused this upload with status 404/)]);
});

test("an upload whose offset can't be read is not replaced by another", async () => {
  const { asked, told } = send(null, { PATCH: [502], HEAD: [502, 502] });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toEqual(["POST", "PATCH", "HEAD", "HEAD", "HEAD", "PATCH"]);
  expect(told).toEqual(["waiting", "waiting", "waiting", "sent"]);
});

const MIB = 1024 * 1024;

/** Sends a file over a line that cuts every request longer than `limitBytes`. */
function sendOver(limitBytes: number, file: File) {
  const chunks: number[] = [];
  const told: string[] = [];
  let storedBytes = 0;
  const httpStack: HttpStack = {
    getName: () => "limited",
    createRequest: (method) => ({
      getMethod: () => method,
      getURL: () => ADDRESS,
      setHeader: () => undefined,
      getHeader: () => undefined,
      setProgressHandler: () => undefined,
      getUnderlyingObject: () => null,
      abort: async () => undefined,
      async send(body: unknown) {
        if (body instanceof Blob) {
          chunks.push(body.size / MIB);
          // As the library's own stack does without an answer.
          // oxlint-disable-next-line typescript/only-throw-error
          if (body.size > limitBytes) throw new ProgressEvent("error");
          storedBytes += body.size;
        }
        const headers = new Map([
          ["Location", ADDRESS],
          ["Upload-Length", String(file.size)],
          ["Upload-Offset", String(storedBytes)],
        ]);
        return {
          getStatus: () => ({ POST: 201, HEAD: 200 })[method] ?? 204,
          getHeader: (name) => headers.get(name),
          getBody: () => "",
          getUnderlyingObject: () => null,
        };
      },
    }),
  };
  openTusUpload(
    file,
    null,
    {
      onAddress: () => undefined,
      onProgress: () => undefined,
      onWaiting: () => undefined,
      onSent: () => told.push("sent"),
      onGone: () => told.push("gone"),
      onFailed: (reason) => told.push(reason),
    },
    httpStack,
  ).start();
  return { chunks, told };
}

test("an interrupted chunk is sent again in halves, which grow after a run of whole ones", async () => {
  const { chunks, told } = sendOver(MIB, new File([new Uint8Array(12 * MIB)], "slow.mp4"));
  await vi.advanceTimersByTimeAsync(60_000);
  const whole = Array<number>(8).fill(1);
  expect(chunks).toEqual([8, 4, 2, ...whole, 2, ...whole.slice(0, 4)]);
  expect(told).toEqual(["sent"]);
});

test("chunks have a smallest size, with which a line is tried again", async () => {
  const { chunks, told } = sendOver(MIB / 8, new File([new Uint8Array(MIB)], "slow.mp4"));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(chunks.slice(0, 5)).toEqual([1, 1 / 2, 1 / 4, 1 / 4, 1 / 4]);
  expect(told).toEqual([]);
});

test("an upload that the server no longer has is reported", async () => {
  const { asked, told } = send(ADDRESS, { HEAD: [404] });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toEqual(["HEAD"]);
  expect(told).toEqual(["gone"]);
});

test("an unreachable server is retried with increasing delays", async () => {
  const { asked } = send(ADDRESS, { HEAD: Array<number>(9).fill(503) });
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
