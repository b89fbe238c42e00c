import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sendPersistently } from "./persistent-send.ts";
import { TusError } from "./tus-client.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const gone = new TusError(404, "Not found");

test("an upload restarts once if every chunk gets a 404, and then fails", async () => {
  const startOver = vi.fn(() => {
    // Without timers in between, an endless loop would also end no test.
    if (startOver.mock.calls.length > 1) throw new Error("It starts over again and again.");
  });
  const sending = sendPersistently(
    { send: () => Promise.reject(gone), startOver, onWaiting: () => undefined },
    new AbortController().signal,
  );
  await expect(sending).rejects.toBe(gone);
  expect(startOver).toHaveBeenCalledTimes(1);
});

test("an upload restarts again if it made progress before a 404", async () => {
  const startOver = vi.fn();
  let attempts = 0;
  await sendPersistently(
    {
      async send(onProgress) {
        attempts += 1;
        if (attempts === 4) return;
        onProgress();
        throw gone;
      },
      startOver,
      onWaiting: () => undefined,
    },
    new AbortController().signal,
  );
  expect(startOver).toHaveBeenCalledTimes(3);
});

test("an unreachable server is retried with increasing delays", async () => {
  const atMs: number[] = [];
  const beganAtMs = Date.now();
  const control = new AbortController();
  const onWaiting = vi.fn();
  const sending = sendPersistently(
    {
      async send() {
        atMs.push(Date.now() - beganAtMs);
        throw new TusError(0, "The server can't be reached.");
      },
      startOver: () => undefined,
      onWaiting,
    },
    control.signal,
  );
  await vi.advanceTimersByTimeAsync(8_000);
  expect(atMs).toEqual([0, 1_000, 3_000, 8_000]);
  control.abort();
  await sending;
  expect(onWaiting).toHaveBeenCalledTimes(4);
});
