import type { AnyCall, BodyOf, DataOf, ParamsOf, QueryOf } from "#contract/call.ts";
import { addressOf, dataOf, requestOf } from "#contract/call-request.ts";
import { apiAddress } from "./api-address.ts";
import { ApiError, apiErrorOf } from "./api-error.ts";
import { takeEarlyAnswer } from "./early-answers.ts";
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

async function answerOf<C extends AnyCall>(call: C, input: CallInput<C>, bearer: string | null) {
  const timeout = AbortSignal.timeout(input.timeoutMs ?? TIMEOUT_MS);
  const signal = input.signal ? AbortSignal.any([input.signal, timeout]) : timeout;
  try {
    const address = apiAddress(addressOf(call, input));
    const response = await (takeEarlyAnswer(call.method, address, bearer) ??
      fetch(address, { ...requestOf(call, input, bearer), credentials: "include", signal }));
    const text = await response.text();
    noteStatus(call, response.status);
    noteServerDate(response.headers);
    return { status: response.status, ok: response.ok, text };
  } catch (cause) {
    if (input.signal?.aborted === true) throw cause;
    const isLate =
      timeout.aborted || (cause instanceof DOMException && cause.name === "TimeoutError");
    serverStatus.noteFault(isLate ? "Failing" : "Offline");
    if (isLate) {
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
  const { status, ok, text } = await answerOf(call, input, bearer);
  if (!ok) throw apiErrorOf(status, jsonOf(text));
  try {
    return dataOf(call, text);
  } catch (cause) {
    throw new ApiError("bad_answer", "The server sent an invalid response.", { status, cause });
  }
}
