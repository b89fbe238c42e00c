import * as z from "zod/mini";
import type { GqlForm, GqlOperation, GqlVariables } from "./gql-operation.ts";
import { parseJson } from "./parse-json.ts";
import { readRetryAfterMs } from "#service/source/retry-after.ts";
import { SourceError } from "#service/source/source-error.ts";
import type { TwitchContext } from "./twitch-context.ts";
import { quoteTwitch, readTwitchWords, type TwitchWords } from "./twitch-words.ts";
import { API_LIMITS, requestText } from "#service/source/upstream-request.ts";

/** Twitch answers "server error" to unusual user agents (streamlink #6574). */
export const BROWSER_USER_AGENT =
  "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

/**
 * - `integrity`: only for clients that solved a challenge, which this one never does
 * - `unknown_query`: this form of the query is not supported, or its answer cannot be read
 * - `transient`: a temporary error of Twitch, whatever is asked
 * - `refused`: anything else that Twitch says
 */
export type GqlRefusal = {
  readonly kind: "integrity" | "unknown_query" | "transient" | "refused";
  readonly retryAfterMs: number | null;
  readonly said: TwitchWords;
};

export type GqlAnswer<Data> =
  | { readonly ok: true; readonly data: Data }
  | { readonly ok: false; readonly refusal: GqlRefusal };

export type GqlRequest = {
  readonly operation: GqlOperation;
  readonly variables: GqlVariables;
  readonly signal?: AbortSignal | undefined;
};

export type GqlClient = {
  /**
   * Retries temporary errors. Tries both forms of the query with each client id when Twitch refuses
   * one of them. Returns a refusal as a value.
   */
  tryAsk<Schema extends z.core.$ZodType>(
    request: GqlRequest,
    schema: Schema,
  ): Promise<GqlAnswer<z.output<Schema>>>;
  /** Like {@link GqlClient.tryAsk}, but throws refusals. @throws {SourceError} */
  ask<Schema extends z.core.$ZodType>(
    request: GqlRequest,
    schema: Schema,
  ): Promise<z.output<Schema>>;
};

/** One way to send an operation: at most three client ids (settings.ts) in two forms. */
type Combination = { readonly form: GqlForm; readonly clientId: string };

/** Retry delays (as in ganymede). */
const RETRY_DELAYS_MS = [300, 600];

/** No other combination is tried later, so that one question does not hold up a run. */
const MAX_SEARCH_MS = 30_000;

const envelopeSchema = z.object({
  errors: z.nullish(z.array(z.unknown())),
  data: z.optional(z.unknown()),
});

/**
 * Anonymous client of Twitch's undocumented web API, which answers 200 even when it refuses
 * (docs/twitch.md#web-api). It remembers for each operation which combination worked last, and
 * begins with it.
 */
export function createGqlClient({ platform, settings }: TwitchContext): GqlClient {
  const { clock } = platform;
  const worked = new Map<GqlOperation["name"], Combination>();

  async function send<Schema extends z.core.$ZodType>(
    combination: Combination,
    { operation, variables, signal }: GqlRequest,
    schema: Schema,
  ): Promise<GqlAnswer<z.output<Schema>>> {
    const sha256Hash = settings.TWITCH_GQL_HASHES[operation.name];
    const answer = await requestText(
      platform.fetch,
      "Twitch's web API",
      settings.TWITCH_GQL_URL,
      {
        method: "POST",
        headers: {
          "client-id": combination.clientId,
          "content-type": "application/json",
          "user-agent": BROWSER_USER_AGENT,
        },
        body: JSON.stringify(requestBody(combination.form, operation, sha256Hash, variables)),
      },
      API_LIMITS,
      signal,
    );
    const said = readTwitchWords(answer.text);
    if (answer.status !== 200)
      return refused(
        kindOfStatus(answer.status),
        said,
        readRetryAfterMs(answer.headers, clock.now()),
      );
    const envelope = parseJson(envelopeSchema, answer.text);
    if ((envelope?.errors ?? []).length > 0) return refused(kindOfWords(said), said);
    const parsed = z.safeParse(schema, envelope?.data);
    return parsed.success ? { ok: true, data: parsed.data } : refused("unknown_query", said);
  }

  async function sendWithRetries<Schema extends z.core.$ZodType>(
    combination: Combination,
    maxRetries: Readonly<Record<GqlRefusal["kind"], number>>,
    request: GqlRequest,
    schema: Schema,
  ): Promise<GqlAnswer<z.output<Schema>>> {
    let answer = await send(combination, request, schema);
    for (const [retries, delayMs] of RETRY_DELAYS_MS.entries()) {
      if (answer.ok || retries >= maxRetries[answer.refusal.kind]) break;
      if (answer.refusal.retryAfterMs !== null) break;
      await clock.sleep(delayMs, request.signal);
      request.signal?.throwIfAborted();
      answer = await send(combination, request, schema);
    }
    return answer;
  }

  /** The combination that worked last, then the others: both forms with one id after another. */
  function combinations(operation: GqlOperation): readonly Combination[] {
    const forms: readonly GqlForm[] =
      operation.first === "inline" ? ["inline", "persisted"] : ["persisted", "inline"];
    const ids = settings.TWITCH_GQL_CLIENT_IDS;
    const ordered =
      operation.firstClient === "last" ? [...ids.slice(-1), ...ids.slice(0, -1)] : ids;
    const all = ordered.flatMap((clientId) => forms.map((form) => ({ form, clientId })));
    const last = worked.get(operation.name);
    if (last === undefined) return all;
    const isLast = ({ form, clientId }: Combination) =>
      form === last.form && clientId === last.clientId;
    return [last, ...all.filter((combination) => !isLast(combination))];
  }

  async function tryAsk<Schema extends z.core.$ZodType>(
    request: GqlRequest,
    schema: Schema,
  ): Promise<GqlAnswer<z.output<Schema>>> {
    const startedMs = clock.monotonic();
    let telling: GqlRefusal | null = null;
    for (const combination of combinations(request.operation)) {
      const maxRetries: typeof MAX_RETRIES =
        telling === null ? MAX_RETRIES : { ...MAX_RETRIES, refused: 0 };
      const answer: GqlAnswer<z.output<Schema>> = await sendWithRetries(
        combination,
        maxRetries,
        request,
        schema,
      );
      if (answer.ok) {
        worked.set(request.operation.name, combination);
        return answer;
      }
      const { refusal } = answer;
      if (refusal.kind === "transient" || refusal.retryAfterMs !== null) return answer;
      // What an unknown form is answered says less than any other refusal.
      if (telling === null || telling.kind === "unknown_query") telling = refusal;
      if (clock.monotonic() - startedMs > MAX_SEARCH_MS) break;
    }
    if (telling === null) throw new Error("There is no way to ask Twitch's web API");
    return { ok: false, refusal: telling };
  }

  return {
    tryAsk,
    async ask(request, schema) {
      const answer = await tryAsk(request, schema);
      if (answer.ok) return answer.data;
      throw gqlError(answer.refusal);
    },
  };
}

/** Repeating what Twitch will refuse again only costs requests. */
const MAX_RETRIES = {
  transient: RETRY_DELAYS_MS.length,
  refused: 1,
  integrity: 0,
  unknown_query: 0,
};

/** All of them are `try_later`, because Twitch changes these answers without notice, and back. */
export function gqlError({ kind, retryAfterMs, said }: GqlRefusal): SourceError {
  const sentences = {
    integrity: "Twitch's web API demands a check that only browsers pass.",
    unknown_query: "Twitch's web API returned an invalid response.",
    transient: "Twitch's web API is failing.",
    refused: "Twitch's web API refuses the service's requests.",
  };
  return new SourceError("try_later", quoteTwitch(sentences[kind], said), { retryAfterMs });
}

function requestBody(
  form: GqlForm,
  operation: GqlOperation,
  sha256Hash: string,
  variables: GqlVariables,
): Record<string, unknown> {
  if (form === "inline")
    return { operationName: operation.name, query: operation.query, variables };
  return {
    operationName: operation.name,
    variables: operation.persistedVariables?.(variables) ?? variables,
    extensions: { persistedQuery: { version: 1, sha256Hash } },
  };
}

function kindOfStatus(status: number): GqlRefusal["kind"] {
  if (status === 400) return "unknown_query";
  return status === 429 || status >= 500 ? "transient" : "refused";
}

/** Codes and texts are compared without case and blanks, which differ between them. */
function kindOfWords({ code, text }: TwitchWords): GqlRefusal["kind"] {
  const words = `${code} ${text}`.toLowerCase().replaceAll(/[\s_-]+/g, "");
  if (words.includes("integrity")) return "integrity";
  if (/persistedquery|cannotqueryfield|unknown(?:argument|type)|introspection|syntax/.test(words))
    return "unknown_query";
  return /^(?:service(?:timeout|unavailable|error)|(?:internal)?servererror)\.?$/.test(words)
    ? "transient"
    : "refused";
}

function refused(
  kind: GqlRefusal["kind"],
  said: TwitchWords,
  retryAfterMs: number | null = null,
): { ok: false; refusal: GqlRefusal } {
  return { ok: false, refusal: { kind, retryAfterMs, said } };
}
