import { onTestFinished, vi } from "vitest";
import { streamTicket } from "#contract/auth.ts";
import type { AnyCall, DataOf } from "#contract/call.ts";
import { addressOf, patternOf } from "#contract/call-request.ts";
import { dashboardView } from "#contract/dashboard.ts";
import { CALLS } from "#contract/registry.ts";
import { build, type Parts } from "#contract/testing/build.ts";
import { surprises } from "./console-messages.ts";
import { firstView } from "./first-view.ts";

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

/** An answer that refuses a call. */
export function refusal(message: string, code = "not_found", status = 404): Response {
  return Response.json({ error: { code, message } }, { status });
}

/** Of several paths that match, the one without a parameter. */
const READS = CALLS.filter(({ method }) => method === "GET").toSorted(
  (a, b) => a.path.split("{").length - b.path.split("{").length,
);

/**
 * Takes the service's place until the test ends. A call gets its answer, completed by the contract's
 * schema; a read without one gets the plainest that its schema allows, as of a new installation. Any
 * other call without an answer fails the test.
 */
export function scriptService() {
  const answers: { readonly call: AnyCall; readonly answer: Answer }[] = [];
  let answerToAll: (() => Response | Promise<Response>) | undefined;
  /** Every call so far, as `GET /admin/uploads?page=1`. */
  const calls: string[] = [];

  async function fetchScripted(address: string, init?: RequestInit): Promise<Response> {
    const request = new Request(new URL(address, window.location.origin), init);
    const { pathname, search } = new URL(request.url);
    // What the console asks after a fault.
    if (pathname === "/healthz" && answerToAll === undefined) return new Response();
    calls.push(`${request.method} ${pathname}${search}`);
    if (answerToAll !== undefined) return answerToAll();
    const data = await answerTo(request);
    return data instanceof Response ? data : Response.json({ data });
  }
  async function answerTo(request: Request): Promise<unknown> {
    const { pathname } = new URL(request.url);
    const isAsked = ({ method, path }: AnyCall) =>
      method === request.method && patternOf({ path }).test(pathname);
    const known = answers.findLast(({ call }) => isAsked(call));
    const call = known?.call ?? READS.find(isAsked);
    if (call === undefined) {
      surprises.push(`unanswered: ${request.method} ${pathname}`);
      return new Response(null, { status: 404 });
    }
    const data: unknown = await known?.answer(request);
    return data instanceof Response ? data : build(call.data, data);
  }
  vi.stubGlobal("fetch", fetchScripted);
  streams.opened = [];
  vi.stubGlobal("EventSource", SilentEventSource);
  onTestFinished(() => void vi.unstubAllGlobals());

  /** The latest answer of a call counts. A `Response` is sent as it is. */
  function answer<C extends AnyCall>(
    call: C,
    make: (request: Request) => Parts<DataOf<C>> | Response | Promise<Parts<DataOf<C>> | Response>,
  ): void {
    answers.push({ call, answer: make });
  }
  /** The data of a read, for an answer that combines several; throws a scripted `Response`. */
  async function ask<C extends AnyCall>(call: C, query: object = {}): Promise<DataOf<C>> {
    const data = await answerTo(
      new Request(new URL(addressOf(call, { query }), window.location.origin)),
    );
    // oxlint-disable-next-line typescript/only-throw-error
    if (data instanceof Response) throw data;
    // `build` has checked its type.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return data as DataOf<C>;
  }
  /** Every call gets this answer, whatever the others say. */
  function answerAll(make: () => Response | Promise<Response>): void {
    answerToAll = make;
  }
  answer(dashboardView, async ({ url }) => {
    try {
      return await firstView(ask, new URL(url).searchParams);
    } catch (thrown) {
      if (thrown instanceof Response) return thrown.clone();
      throw thrown;
    }
  });
  answer(streamTicket, () => new Promise(() => undefined));
  return { answer, answerAll, ask, calls };
}
