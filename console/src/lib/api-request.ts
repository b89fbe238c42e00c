import * as z from "zod/mini";
import type { AnyCall, BodyOf, DataOf, ParamsOf, QueryOf } from "#contract/call.ts";
import { apiAddress } from "./api-address.ts";
import { ApiError, apiErrorOf } from "./api-error.ts";
import { noteServerDate } from "./server-clock.ts";
import { serverStatus } from "./server-status.ts";

/** docs/console.md#session */
const TIMEOUT_MS = 10_000;

type Part<Name extends string, Value> = [Value] extends [undefined]
  ? { readonly [K in Name]?: undefined }
  : { readonly [K in Name]: Value };

/** The input of a call. Absent and undefined query values are omitted. */
export type CallInput<C> = Part<"params", ParamsOf<C>> &
  Part<"body", BodyOf<C>> & {
    readonly query?: [QueryOf<C>] extends [undefined]
      ? undefined
      : { readonly [K in keyof QueryOf<C>]?: QueryOf<C>[K] | undefined };
    readonly signal?: AbortSignal | undefined;
    /** For the few calls that take longer. */
    readonly timeoutMs?: number;
  };

/** What selects the rows of a list: the query of its call. */
export type ViewOf<C> = NonNullable<CallInput<C>["query"]>;

type LooseInput = {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
};

/** Text, numbers and booleans as text; other values are omitted. */
function textsOf(values: unknown): [name: string, text: string][] {
  if (typeof values !== "object" || values === null) return [];
  return Object.entries(values).flatMap(([name, value]): [string, string][] =>
    typeof value === "string" || typeof value === "number" || typeof value === "boolean"
      ? [[name, String(value)]]
      : [],
  );
}

/** The address of a call; path parameters are percent-encoded by segment. */
export function addressOf(call: AnyCall, input: { params?: unknown; query?: unknown }): string {
  let path: string = call.path;
  for (const [name, text] of textsOf(input.params)) {
    path = path
      .replace(`{${name}}`, encodeURIComponent(text))
      .replace(`{${name}+}`, text.split("/").map(encodeURIComponent).join("/"));
  }
  const query = new URLSearchParams(textsOf(input.query));
  const suffix = query.size > 0 ? `?${query}` : "";
  return apiAddress(`${path}${suffix}`);
}

async function answerOf(call: AnyCall, input: LooseInput, bearer: string | null) {
  const headers = new Headers({ accept: "application/json" });
  if (bearer !== null) headers.set("authorization", `Bearer ${bearer}`);
  if (input.body !== undefined) headers.set("content-type", "application/json");
  const timeout = AbortSignal.timeout(input.timeoutMs ?? TIMEOUT_MS);
  const signal = input.signal ? AbortSignal.any([input.signal, timeout]) : timeout;
  try {
    const response = await fetch(addressOf(call, input), {
      method: call.method,
      headers,
      credentials: "include",
      signal,
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
    });
    const text = await response.text();
    noteStatus(call, response.status);
    noteServerDate(response.headers);
    return { status: response.status, ok: response.ok, text };
  } catch (cause) {
    if (input.signal?.aborted === true) throw cause;
    serverStatus.noteFault(timeout.aborted ? "Failing" : "Offline");
    if (timeout.aborted) {
      throw new ApiError("timeout", "The server took too long to answer.", { cause });
    }
    throw new ApiError("offline", "The server can't be reached.", { cause });
  }
}

/** Only reads report faults: a write may fail for reasons of its own. */
function noteStatus({ method }: AnyCall, status: number): void {
  if (status < 500) serverStatus.noteAnswer();
  else if (method === "GET") serverStatus.noteFault("Failing");
}

/** Undefined where the text is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Makes one call and parses its answer by the contract. Throws `ApiError`, or the abort's reason
 * when `input.signal` was aborted. Does not handle sessions: see `api-client.ts`.
 */
export async function request<C extends AnyCall>(
  call: C,
  input: CallInput<C>,
  bearer: string | null,
): Promise<DataOf<C>> {
  const answer = await answerOf(call, input, bearer);
  const body = jsonOf(answer.text);
  if (!answer.ok) throw apiErrorOf(answer.status, body);
  const parsed = z.safeParse(z.object({ data: call.data }), body);
  if (!parsed.success) {
    throw new ApiError("bad_answer", "The server sent an invalid response.", {
      status: answer.status,
      cause: parsed.error,
    });
  }
  // The schema is the call's own, so its output is the call's data.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return parsed.data.data as DataOf<C>;
}
