import { onTestFinished, vi } from "vitest";
import { streamTicket, validate } from "#contract/auth.ts";
import { browserNotifications } from "#contract/browser-notifications.ts";
import { listChannels } from "#contract/channels.ts";
import { buildPage } from "#contract/testing/build-page.ts";
import type { AnyCall, DataOf } from "#contract/call.ts";
import { patternOf } from "#contract/call-request.ts";
import { surprises } from "./console-messages.ts";

/** Every stream that the console opened in this test, to send messages as the service would. */
export const streams: { opened: EventTarget[] } = { opened: [] };

/** Stays silent, as a stream does while nothing happens. */
class SilentEventSource extends EventTarget {
  static readonly CLOSED = 2;
  readonly readyState = 1;
  constructor() {
    super();
    streams.opened.push(this);
  }
  close(): void {}
}

type Answer = (request: Request) => unknown;

/**
 * Takes the service's place until the test ends: the console's calls get these answers, which the
 * contract types. A call without an answer fails the test.
 */
export function scriptService() {
  const answers: { readonly pattern: RegExp; readonly method: string; readonly answer: Answer }[] =
    [];
  /** Every call so far, as `GET /admin/uploads?page=1`. */
  const calls: string[] = [];

  async function fetchScripted(address: string, init?: RequestInit) {
    const request = new Request(new URL(address, window.location.origin), init);
    const { pathname, search } = new URL(request.url);
    // What the console asks after a fault.
    if (pathname === "/healthz" && answers.at(-1)?.pattern.source !== "^") return new Response();
    calls.push(`${request.method} ${pathname}${search}`);
    const known = answers.findLast(
      ({ method, pattern }) => method === request.method && pattern.test(pathname),
    );
    if (known === undefined) surprises.push(`unanswered: ${request.method} ${pathname}`);
    const data: unknown = await known?.answer(request);
    return data instanceof Response ? data : Response.json({ data });
  }
  vi.stubGlobal("fetch", fetchScripted);
  streams.opened = [];
  vi.stubGlobal("EventSource", SilentEventSource);
  onTestFinished(() => void vi.unstubAllGlobals());

  /** The latest answer of a call counts. A `Response` is sent as it is. */
  function answer<C extends AnyCall>(
    call: C,
    make: (request: Request) => DataOf<C> | Response | Promise<DataOf<C> | Response>,
  ): void {
    answers.push({ pattern: patternOf(call), method: call.method, answer: make });
  }
  /** Every call gets this answer, whatever the others say. */
  function answerAll(make: () => Response | Promise<Response>): void {
    for (const method of ["GET", "POST"]) answers.push({ pattern: /^/, method, answer: make });
  }
  // What the layout and every list ask for.
  answer(validate, () => ({ valid: false, admin: null }));
  answer(browserNotifications, () => ({
    notifications: [],
    unread: 0,
    twitchFault: null,
    systemStatus: "healthy" as const,
  }));
  // What every video asks for, to link to a channel that is followed.
  answer(listChannels, () => ({
    ...buildPage([]),
    summary: { channels: 0, live: 0, inDanger: 0, lost: 0, rare: 0 },
  }));
  answer(streamTicket, () => new Promise(() => undefined));
  return { answer, answerAll, calls };
}
