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
