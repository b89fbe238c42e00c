import type * as z from "zod/mini";
import { GQL_CLIENT_IDS } from "./gql-constants.ts";
import type { GqlForm, GqlOperation } from "./gql-operation.ts";
import {
  type GqlAnswer,
  type GqlCombination,
  type GqlRefusal,
  type GqlRequest,
  sendGql,
} from "./send-gql.ts";
import { SourceError } from "#service/source/source-error.ts";
import type { TwitchContext } from "./twitch-context.ts";
import { quoteTwitch } from "./twitch-words.ts";

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

/** Retry delays (as in ganymede). */
const RETRY_DELAYS_MS = [300, 600];

/** No other combination is tried later, so that one question does not hold up a run. */
const MAX_SEARCH_MS = 30_000;

/**
 * Anonymous client of Twitch's undocumented web API, which answers 200 even when it refuses
 * (docs/twitch.md#web-api). It remembers for each operation which combination worked last, and
 * begins with it.
 */
export function createGqlClient(context: TwitchContext): GqlClient {
  const { clock } = context.platform;
  const worked = new Map<GqlOperation["name"], GqlCombination>();

  async function sendWithRetries<Schema extends z.core.$ZodType>(
    combination: GqlCombination,
    maxRetries: Readonly<Record<GqlRefusal["kind"], number>>,
    request: GqlRequest,
    schema: Schema,
  ): Promise<GqlAnswer<z.output<Schema>>> {
    let answer = await sendGql(context, combination, request, schema);
    for (const [retries, delayMs] of RETRY_DELAYS_MS.entries()) {
      if (answer.ok || retries >= maxRetries[answer.refusal.kind]) break;
      if (answer.refusal.retryAfterMs !== null) break;
      await clock.sleep(delayMs, request.signal);
      request.signal?.throwIfAborted();
      answer = await sendGql(context, combination, request, schema);
    }
    return answer;
  }

  /** The combination that worked last, then the others: both forms with one id after another. */
  function combinations(operation: GqlOperation): readonly GqlCombination[] {
    const forms: readonly GqlForm[] =
      operation.first === "inline" ? ["inline", "persisted"] : ["persisted", "inline"];
    const ids = GQL_CLIENT_IDS;
    const ordered =
      operation.firstClient === "last" ? [...ids.slice(-1), ...ids.slice(0, -1)] : ids;
    const all = ordered.flatMap((clientId) => forms.map((form) => ({ form, clientId })));
    const last = worked.get(operation.name);
    if (last === undefined) return all;
    const isLast = ({ form, clientId }: GqlCombination) =>
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
