import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { systemMetricsStream } from "#contract/system.ts";
import { openLiveStream } from "./live-stream.ts";
import { serverStatus } from "./server-status.ts";

/** The browser's event source, visibility, network and storage, which Node lacks, are faked. */
class FakeEventSource extends EventTarget {
  static readonly CLOSED = 2;
  static opened: FakeEventSource[] = [];
  readyState = 1;

  constructor() {
    super();
    FakeEventSource.opened.push(this);
  }
  close(): void {
    this.readyState = FakeEventSource.CLOSED;
  }
  connect(): void {
    this.dispatchEvent(new MessageEvent("message", { data: "{}" }));
  }
  fail(): void {
    this.dispatchEvent(new Event("error"));
  }
}

const page = Object.assign(new EventTarget(), { hidden: false });

const browser = { onLine: true };

function show(isVisible: boolean): void {
  page.hidden = !isVisible;
  page.dispatchEvent(new Event("visibilitychange"));
}

beforeEach(() => {
  vi.useFakeTimers();
  FakeEventSource.opened = [];
  page.hidden = false;
  browser.onLine = true;
  vi.stubGlobal("document", page);
  vi.stubGlobal("window", new EventTarget());
  vi.stubGlobal("navigator", browser);
  vi.stubGlobal("EventSource", FakeEventSource);
  vi.stubGlobal("localStorage", { getItem: () => null });
  serverAnswers = true;
  vi.stubGlobal("fetch", async () => {
    if (!serverAnswers) throw new TypeError("refused");
    return Response.json({ data: { streamTicket: "a".repeat(64) } });
  });
});
afterEach(() => {
  close();
  serverStatus.noteAnswer();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

let close: () => void;
let serverAnswers = true;

/** Opens a stream that connects; returns the states that it reports. */
async function openConnected(): Promise<readonly string[]> {
  const states: string[] = [];
  close = openLiveStream(systemMetricsStream, {
    onMessage: () => undefined,
    onState: (state) => states.push(state),
  });
  await vi.advanceTimersByTimeAsync(0);
  FakeEventSource.opened[0]?.connect();
  return states;
}

test("a stream that reconnected in a hidden tab stays open when the tab is shown", async () => {
  const states = await openConnected();
  show(false);
  FakeEventSource.opened[0]?.fail();
  await vi.advanceTimersByTimeAsync(5_000);
  FakeEventSource.opened[1]?.connect();
  show(true);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(states).toEqual(["connecting", "connected", "connecting", "connecting", "connected"]);
  expect(FakeEventSource.opened.map(({ readyState }) => readyState)).toEqual([2, 1]);
});

test("a tab shown before its broken stream reconnects opens only one new stream", async () => {
  await openConnected();
  show(false);
  FakeEventSource.opened[0]?.fail();
  show(true);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(FakeEventSource.opened).toHaveLength(2);
});

test("a tab hidden for a minute closes its stream and opens a new one when shown", async () => {
  await openConnected();
  show(false);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(FakeEventSource.opened[0]?.readyState).toBe(FakeEventSource.CLOSED);
  show(true);
  await vi.advanceTimersByTimeAsync(0);
  expect(FakeEventSource.opened).toHaveLength(2);
});

test("a stream that breaks without a network is not lost and starts anew when it is back", async () => {
  const states = await openConnected();
  browser.onLine = false;
  FakeEventSource.opened[0]?.fail();
  await vi.advanceTimersByTimeAsync(60_000);
  browser.onLine = true;
  window.dispatchEvent(new Event("online"));
  await vi.advanceTimersByTimeAsync(0);
  FakeEventSource.opened[1]?.connect();
  expect(states).not.toContain("lost");
  expect(states.at(-1)).toBe("connected");
});

test("a stream is replaced when the browser comes back online, since it may be dead", async () => {
  await openConnected();
  window.dispatchEvent(new Event("online"));
  await vi.advanceTimersByTimeAsync(0);
  expect(FakeEventSource.opened.map(({ readyState }) => readyState)).toEqual([2, 1]);
});

test("a lost stream says so once, is tried ever more rarely, and comes back by itself", async () => {
  const states = await openConnected();
  const pausesSec: number[] = [];
  for (let failed = 1; failed <= 8; failed += 1) {
    FakeEventSource.opened.at(-1)?.fail();
    for (let sec = 1; FakeEventSource.opened.length === failed; sec += 1) {
      await vi.advanceTimersByTimeAsync(1_000);
      pausesSec[failed - 1] = sec;
    }
  }
  expect(pausesSec).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  FakeEventSource.opened.at(-1)?.connect();
  expect(states).toEqual([
    "connecting",
    "connected",
    "connecting",
    "connecting",
    "lost",
    "connected",
  ]);
});

test("a lost stream is tried at once when the server is Online again", async () => {
  await openConnected();
  serverAnswers = false;
  FakeEventSource.opened[0]?.fail();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(serverStatus.store.state).toBe("Offline");
  expect(FakeEventSource.opened).toHaveLength(1);
  serverAnswers = true;
  serverStatus.noteAnswer();
  await vi.advanceTimersByTimeAsync(0);
  expect(FakeEventSource.opened).toHaveLength(2);
});
