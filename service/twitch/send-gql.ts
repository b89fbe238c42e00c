import * as z from "zod/mini";
import { GQL_HASHES } from "./gql-constants.ts";
import type { GqlForm, GqlOperation, GqlVariables } from "./gql-operation.ts";
import { parseJson } from "#service/parse-json.ts";
import { readRetryAfterMs } from "#service/source/retry-after.ts";
import type { TwitchContext } from "./twitch-context.ts";
import { readTwitchWords, type TwitchWords } from "./twitch-words.ts";
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

/** One way to send an operation: at most three client ids (settings.ts) in two forms. */
export type GqlCombination = { readonly form: GqlForm; readonly clientId: string };

const envelopeSchema = z.object({
  errors: z.nullish(z.array(z.unknown())),
  data: z.optional(z.unknown()),
});

/**
 * Sends an operation once, in one way. Answers of 200 may refuse it too (docs/twitch.md#web-api).
 * @throws {SourceError} `try_later` for a broken connection or a timeout
 */
export async function sendGql<Schema extends z.core.$ZodType>(
  { platform, settings }: TwitchContext,
  { form, clientId }: GqlCombination,
  { operation, variables, signal }: GqlRequest,
  schema: Schema,
): Promise<GqlAnswer<z.output<Schema>>> {
  const sha256Hash = GQL_HASHES[operation.name];
  const { status, headers, text } = await requestText(
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
      body: JSON.stringify(requestBody(form, operation, sha256Hash, variables)),
    },
    API_LIMITS,
    signal,
  );
  if (status !== 200) {
    const retryAfterMs = readRetryAfterMs(headers, platform.clock.now());
    return refused(kindOfStatus(status), readTwitchWords(text), retryAfterMs);
  }
  const envelope = parseJson(envelopeSchema, text);
  if ((envelope?.errors ?? []).length > 0) {
    const said = readTwitchWords(text);
    return refused(kindOfWords(said), said);
  }
  const parsed = z.safeParse(schema, envelope?.data);
  return parsed.success
    ? { ok: true, data: parsed.data }
    : refused("unknown_query", readTwitchWords(text));
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
