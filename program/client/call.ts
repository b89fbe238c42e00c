import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod/mini";
import type { Call } from "#contract/call.ts";
import { addressOf, dataOf, requestOf, type RequestInput } from "#contract/call-request.ts";
import { errorBodySchema } from "#contract/errors.ts";
import { replaceHidden } from "#service/hidden-characters.ts";
import { parseJson } from "#service/parse-json.ts";
import { CommandError, EXIT_CODES, type ExitCode } from "#program/exit-codes.ts";

/** Where the service is, and the token that lets this program in. */
export type Connection = {
  /** Without a slash at its end; may have a path. */
  readonly url: string;
  readonly token: string;
};

/** Some calls ask Twitch, which has 30 s to answer. */
const TIMEOUT_MS = 60_000;
const ATTEMPTS = 4;
/** These have answered: while they restart they are waited for. */
const known = new WeakSet<Connection>();
const LONGEST_PAUSE_MS = 60_000;

type Input<Params, Query, Body> = {
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
};

/**
 * Performs a call of the contract. What the service refused for its load is repeated after
 * `Retry-After`; what it did not answer is repeated only if reading, since it may have been done.
 *
 * @throws {CommandError}
 */
export async function call<
  P extends z.core.$ZodType,
  Q extends z.core.$ZodType,
  B extends z.core.$ZodType,
  D extends z.core.$ZodType,
>(
  connection: Connection,
  made: Call<P, Q, B, D>,
  input: Input<z.input<P>, z.input<Q>, z.input<B>> = {},
): Promise<z.output<D>> {
  const isReading = made.method === "GET";
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await send(connection, made, input, AbortSignal.timeout(TIMEOUT_MS));
      const isBusy = response.status === 429 || (response.status === 503 && isReading);
      const seconds = response.headers.get("retry-after");
      if (isBusy && attempt < ATTEMPTS && seconds !== null && /^\d{1,5}$/.test(seconds)) {
        await response.body?.cancel();
        await pause(Math.min(Number(seconds) * 1_000, LONGEST_PAUSE_MS));
        continue;
      }
      const text = await response.text();
      if (!response.ok) throw refusal(connection, response, text);
      known.add(connection);
      return parseData(connection, made, text);
    } catch (error) {
      const failure = error instanceof CommandError ? error : unreachable(connection, error);
      if (!isReading || failure.exitCode !== EXIT_CODES.unreachable) throw failure;
      const waitMs = RECONNECT_AFTER_MS[attempt - 1];
      if (waitMs === undefined || (attempt >= ATTEMPTS && !known.has(connection))) throw failure;
      await pause(waitMs);
    }
  }
}

/** One request of a call; rejects like `fetch`. */
export function send(
  { url, token }: Connection,
  { method, path, params }: Pick<Call, "method" | "path" | "params">,
  input: RequestInput,
  signal: AbortSignal,
): Promise<Response> {
  // `..` in an id would make the address that of another call.
  const parsed = z.safeParse(params ?? z.unknown(), input.params);
  if (!parsed.success)
    throw new CommandError(
      EXIT_CODES.usage,
      `${wordsOf(input.params)} ${firstIssue(parsed.error)}.`,
    );
  return fetch(url + addressOf({ path }, input), {
    ...requestOf({ method }, input, token),
    signal,
    // Followed, a POST would become a GET, and the token might reach another host.
    redirect: "manual",
  });
}

function wordsOf(params: unknown): string {
  return replaceHidden(Object.values(params ?? {}).join(", "), "");
}

function firstIssue(error: z.core.$ZodError): string {
  return error.issues[0]?.message ?? "is not valid";
}

function parseData<D extends z.core.$ZodType>(
  { url }: Connection,
  made: { readonly data: D },
  text: string,
): z.output<D> {
  try {
    return dataOf(made, text);
  } catch (cause) {
    throw new CommandError(
      EXIT_CODES.failed,
      `${url} answers in a form that this version of vodkeep does not know.`,
      { cause },
    );
  }
}

const CODES: Readonly<Record<number, ExitCode>> = {
  400: EXIT_CODES.usage,
  401: EXIT_CODES.refused,
  403: EXIT_CODES.refused,
  404: EXIT_CODES.notFound,
};

/** A refusal with the key of each refused field. */
export class RefusedCall extends CommandError {
  readonly details: Readonly<Record<string, string>>;
  constructor(status: number, message: string, details: Readonly<Record<string, string>>) {
    super(CODES[status] ?? EXIT_CODES.failed, message);
    this.details = details;
  }
}

/** The service's own words, if it is one; else which status the address answered. */
export function refusal({ url }: Connection, response: Response, text: string): CommandError {
  const { status } = response;
  const location = response.headers.get("location");
  if (status >= 300 && status < 400 && location !== null)
    return new CommandError(
      EXIT_CODES.failed,
      `${url} is elsewhere: use ${new URL(location, url).origin}.`,
    );
  const body = parseJson(errorBodySchema, text);
  if (status === 401)
    return new CommandError(
      EXIT_CODES.refused,
      `${url} does not know this token. Run: vodkeep login`,
    );
  if (body === null)
    // A proxy whose service is away.
    return status >= 502 && status <= 504
      ? new CommandError(EXIT_CODES.unreachable, `${url} answers ${status}.`)
      : new CommandError(EXIT_CODES.failed, `${url} answers ${status}, and not as Vodkeep does.`);
  const { message, details = {} } = body.error;
  return new RefusedCall(status, replaceHidden(message, ""), details);
}

/** How long a service that went away is waited for: half a minute in all, longer than a restart. */
export const RECONNECT_AFTER_MS = [500, 1_000, 2_000, 4_000, 8_000, 16_000];

export function unreachable({ url }: Connection, error: unknown): CommandError {
  return new CommandError(EXIT_CODES.unreachable, `${url} cannot be reached: ${reasonOf(error)}.`, {
    cause: error,
  });
}

/** `fetch` only says "fetch failed"; the reason is its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return error.message.split("\n")[0] || code;
}
