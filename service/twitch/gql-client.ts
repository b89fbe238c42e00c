import * as z from "zod/mini";
import type { GqlOperation, GqlVariables } from "./gql-operation.ts";
import { parseJson } from "./parse-json.ts";
import { readRetryAfterMs } from "#service/source/retry-after.ts";
import { SourceError } from "#service/source/source-error.ts";
import type { TwitchContext } from "./twitch-context.ts";
import { API_LIMITS, requestText } from "#service/source/upstream-request.ts";

/** First-party client ids: the web player's, and one with which chat cursors work. */
export const GQL_CLIENT_IDS = {
  web: "kimne78kx3ncx6brgo4mv6wki5h1ko",
  chat: "kd1unb4b3q4t58fwlpcbzcbnm76a8fp",
} as const;

/** Twitch answers "server error" to unusual user agents (streamlink #6574). */
export const BROWSER_USER_AGENT =
  "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

/**
 * - `integrity`: only for clients that solved a challenge, which this one never does
 * - `unknown_query`: this form of the query is not supported, or its answer cannot be read
 * - `transient`: a temporary error of Twitch
 */
export type GqlRefusal = {
  readonly kind: "integrity" | "unknown_query" | "transient";
  readonly retryAfterMs: number | null;
};

export type GqlAnswer<Data> =
  | { readonly ok: true; readonly data: Data }
  | { readonly ok: false; readonly refusal: GqlRefusal };

export type GqlRequest = {
  readonly operation: GqlOperation;
  readonly variables: GqlVariables;
  readonly clientId?: string;
  readonly signal?: AbortSignal | undefined;
};

export type GqlClient = {
  /** Tries both forms of the query and retries transient errors; returns a refusal as a value. */
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

/** Retry delays for transient errors (as in ganymede). */
const RETRY_DELAYS_MS = [300, 600];

const envelopeSchema = z.object({
  errors: z.nullish(z.array(z.object({ message: z.string() }))),
  data: z.optional(z.unknown()),
});

/**
 * Anonymous client of Twitch's undocumented web API, which answers 200 even when it refuses
 * (docs/twitch.md#web-api).
 */
export function createGqlClient({ platform, settings }: TwitchContext): GqlClient {
  async function send<Schema extends z.core.$ZodType>(
    form: "inline" | "persisted",
    { operation, variables, clientId = GQL_CLIENT_IDS.web, signal }: GqlRequest,
    schema: Schema,
  ): Promise<GqlAnswer<z.output<Schema>>> {
    const answer = await requestText(
      platform.fetch,
      "Twitch's web API",
      settings.TWITCH_GQL_URL,
      {
        method: "POST",
        headers: {
          "client-id": clientId,
          "content-type": "application/json",
          "user-agent": BROWSER_USER_AGENT,
        },
        body: JSON.stringify(requestBody(form, operation, variables)),
      },
      API_LIMITS,
      signal,
    );
    if (answer.status !== 200)
      return refused(
        answer.status === 400 ? "unknown_query" : "transient",
        readRetryAfterMs(answer.headers, platform.clock.now()),
      );
    const envelope = parseJson(envelopeSchema, answer.text);
    const error = envelope?.errors?.[0];
    if (error !== undefined) return refused(refusalKind(error.message));
    const parsed = z.safeParse(schema, envelope?.data);
    return parsed.success ? { ok: true, data: parsed.data } : refused("unknown_query");
  }

  async function sendWithRetries<Schema extends z.core.$ZodType>(
    form: "inline" | "persisted",
    request: GqlRequest,
    schema: Schema,
  ): Promise<GqlAnswer<z.output<Schema>>> {
    let answer = await send(form, request, schema);
    for (const delayMs of RETRY_DELAYS_MS) {
      if (answer.ok || answer.refusal.kind !== "transient" || answer.refusal.retryAfterMs !== null)
        break;
      await platform.clock.sleep(delayMs, request.signal);
      request.signal?.throwIfAborted();
      answer = await send(form, request, schema);
    }
    return answer;
  }

  async function tryAsk<Schema extends z.core.$ZodType>(
    request: GqlRequest,
    schema: Schema,
  ): Promise<GqlAnswer<z.output<Schema>>> {
    const { first } = request.operation;
    const answer = await sendWithRetries(first, request, schema);
    if (answer.ok || answer.refusal.kind === "transient") return answer;
    const other = first === "inline" ? "persisted" : "inline";
    const second = await sendWithRetries(other, request, schema);
    // If the second form is unknown, the first refusal is more informative.
    return !second.ok && second.refusal.kind === "unknown_query" ? answer : second;
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

/** All of them are `try_later`, because Twitch changes these answers without notice, and back. */
export function gqlError({ kind, retryAfterMs }: GqlRefusal): SourceError {
  const sentences = {
    integrity: "Twitch's web API demands a check that only browsers pass.",
    unknown_query: "Twitch's web API returned an invalid response.",
    transient: "Twitch's web API is failing.",
  };
  return new SourceError("try_later", sentences[kind], { retryAfterMs });
}

function requestBody(
  form: "inline" | "persisted",
  operation: GqlOperation,
  variables: GqlVariables,
): Record<string, unknown> {
  if (form === "inline")
    return { operationName: operation.name, query: operation.query, variables };
  return {
    operationName: operation.name,
    variables: operation.persistedVariables?.(variables) ?? variables,
    extensions: { persistedQuery: { version: 1, sha256Hash: operation.sha256Hash } },
  };
}

/** Refusals differ only in their message; an unknown message counts as transient. */
function refusalKind(message: string): GqlRefusal["kind"] {
  if (message === "failed integrity check") return "integrity";
  return /PersistedQueryNotFound|Cannot query field|Unknown (?:argument|type)|introspection|syntax/i.test(
    message,
  )
    ? "unknown_query"
    : "transient";
}

function refused(
  kind: GqlRefusal["kind"],
  retryAfterMs: number | null = null,
): { ok: false; refusal: GqlRefusal } {
  return { ok: false, refusal: { kind, retryAfterMs } };
}
