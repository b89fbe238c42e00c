import type { AnyCall } from "#contract/call.ts";
import { patternOf } from "#contract/call-request.ts";
import { ERROR_STATUS, errorBodySchema } from "#contract/errors.ts";
import { CALLS } from "#contract/registry.ts";
import { createToken } from "#contract/tokens.ts";
import { makeWebhook } from "#contract/webhooks.ts";
import * as z from "zod/mini";
import type { FuzzRequest } from "./fuzz-request.ts";
import type { Actor } from "./fuzz-world.ts";

export type FuzzAnswer = {
  readonly status: number;
  readonly headers: Headers;
  /** For a stream, its first messages. */
  readonly text: string;
  readonly tookMs: number;
  readonly changedTables: readonly string[];
};

/**
 * The API promises an error rather than a hang (docs/security.md#hostile-input). Its own limits are at
 * most eight seconds, and the machine may be busy.
 */
const MAX_ANSWER_MS = 16_000;

/** Calls that may fail because a provider refused: the bot has no chat with anyone. */
const ASKS_PROVIDER = /^\/admin\/notifications\/(?:telegram\/test|test\/\{type\})$/;

/**
 * Calls that may return 400 for data that fits the schema: it names something at Twitch, or is no
 * picture or address.
 */
const CHECKED_FURTHER =
  /\/(?:auth\/(?:callback|device\/finish)|consent\/(?:invitations|withdrawal)|uploads|uploads\/preview|thumbnail|webhooks)$/;

/** Calls that set a rule: a retention needs the right to delete uploads, too. */
const CHANGES_RULE = /^\/admin\/channels(?:\/\{id\}|\/defaults)?$/;

/**
 * Returns the faults of a response as sentences. Evaluates it by the contract alone, without the
 * service's own router, guard or parser.
 */
export function evaluate(
  request: FuzzRequest,
  answer: FuzzAnswer,
  secrets: ReadonlySet<string>,
  goneIds: ReadonlySet<string>,
): readonly string[] {
  const { pathname, search } = new URL(`http://localhost:8787${request.target}`);
  const paths = callsAt(pathname);
  const call = paths.find((one) => one.method === request.method);
  const faults: string[] = [];
  const check = (isFine: boolean, fault: string): void => {
    if (!isFine) faults.push(fault);
  };

  check(answer.tookMs < MAX_ANSWER_MS, `took ${Math.round(answer.tookMs)} ms`);
  check(!tellsSecret(request, answer, secrets), "gives a secret away");
  // Stack traces belong in the log.
  if (call?.path !== "/admin/system/logs")
    check(!/\bat \S+ \(|node_modules|\.[cm]?[jt]s:\d/.test(answer.text), "shows a stack");
  const isProvidersNo =
    answer.status === 502 && (request.fault !== null || ASKS_PROVIDER.test(call?.path ?? ""));
  if (answer.status >= 400) faults.push(...evaluateRefusal(request, answer, isProvidersNo));
  // A message that the provider refused is kept in the delivery log.
  if (answer.status >= 400 && !isProvidersNo)
    check(answer.changedTables.length === 0, `changed ${answer.changedTables.join(", ")}`);
  if (answer.status === 405)
    check(
      paths.every(
        (one) => answer.headers.get("allow")?.split(", ").includes(one.method) === true,
      ) && answer.headers.has("allow"),
      "does not say which methods are allowed",
    );
  if (answer.status < 400 && request.method !== "OPTIONS") {
    if (call === undefined) {
      check(isPlain(request.method, pathname), "succeeds where there is no call");
      return faults;
    }
    check(admits(call, request.actor), "succeeds without the right to it");
    check(request.flaw === null, `succeeds in spite of ${request.flaw}`);
    check(isGoodQuery(call, search), "takes parameters that break the contract");
    check(isGoodBody(call, request), "takes a body that breaks the contract");
    check(!goneIds.has(uploadNamed(pathname)), "acts on what was deleted");
    faults.push(...evaluateSuccess(call, answer));
  }
  if (request.isSound && call !== undefined) {
    const due = admits(call, request.actor);
    check(
      due || answer.status === 403 || answer.status === 401,
      "is not refused for want of a right",
    );
    if (due)
      check(
        ![401, 403, 404, 405, 413, 415].includes(answer.status) ||
          canBeRefused(call, answer.status),
        "is refused though nothing is wrong with it",
      );
    if (due && isGoodPath(call, pathname) && !CHECKED_FURTHER.test(call.path))
      check(answer.status !== 400, "refuses good data");
  }
  return faults;
}

/** Whether a valid request may still be refused with this status. */
function canBeRefused(call: AnyCall, status: number): boolean {
  // Users may change others' rights only within their own; only the session cookie renews a token.
  // A token has at most the rights of who makes it, and a webhook hears what its maker may hear.
  if (status === 403)
    return (
      call.policy === "write:users" ||
      call === createToken ||
      call === makeWebhook ||
      CHANGES_RULE.test(call.path)
    );
  if (status === 401) return call.path === "/admin/auth/refresh";
  return status === 404;
}

function evaluateRefusal(
  request: FuzzRequest,
  { status, text, headers }: FuzzAnswer,
  isProvidersNo: boolean,
): string[] {
  const faults: string[] = [];
  if (request.method === "HEAD") return text === "" ? [] : ["answers HEAD with a body"];
  const body = errorBodySchema.safeParse(parseJson(text));
  if (!body.success) return [`refuses in another form: ${text.slice(0, 200)}`];
  const { code, message } = body.data.error;
  if (ERROR_STATUS[code] !== status) faults.push(`calls ${status} ${code}`);
  if (!/^[A-Z].*[.?]$/s.test(message) || message.includes("Invalid input"))
    faults.push(`refuses in other words than a sentence: ${message}`);
  if (headers.get("content-type") !== "application/json") faults.push("is no JSON by its type");
  if (status >= 500 && !isProvidersNo && !(request.fault !== null && status === 503))
    faults.push(`fails with ${status} ${message}`);
  return faults;
}

function evaluateSuccess(call: AnyCall, { status, text, headers }: FuzzAnswer): string[] {
  if (status !== (call.successStatus ?? 200)) return [`succeeds with ${status}`];
  if (call.lines === true && headers.get("content-type")?.startsWith("text/csv")) return [];
  const messages = messagesOf(call, text);
  if (call.stream === true && messages.length === 0) return ["opens a stream that says nothing"];
  return messages.flatMap((message) => {
    const result = z.safeParse(call.data, message);
    return result.success ? [] : [`breaks the contract: ${z.prettifyError(result.error)}`];
  });
}

function messagesOf(call: AnyCall, text: string): readonly unknown[] {
  if (call.stream === true)
    return [...text.matchAll(/^data: (.*)$/gm)].map(([, json = ""]) => parseJson(json));
  // The file is empty when no entry matches.
  if (call.lines === true) return text === "" ? [] : text.trimEnd().split("\n").map(parseJson);
  return [z.object({ data: z.unknown() }).parse(parseJson(text)).data];
}

/** The calls of the most literal matching path. */
function callsAt(pathname: string): readonly AnyCall[] {
  const fitting = PATHS.filter(({ pattern }) => pattern.test(pathname));
  const [best] = fitting.toSorted((left, right) => left.parameters - right.parameters);
  return best?.calls ?? [];
}

const PATHS = [...new Set(CALLS.map((call) => call.path))].map((path) => ({
  pattern: patternOf({ path }),
  parameters: path.split("{").length,
  calls: CALLS.filter((call) => call.path === path),
}));

/** The id of the upload in a path; "" when it has none. */
export function uploadNamed(pathname: string): string {
  return decodeURIComponent(/^\/admin\/uploads\/([^/]+)/.exec(pathname)?.[1] ?? "");
}

function isPlain(method: string, pathname: string): boolean {
  return (
    (method === "GET" || method === "HEAD") && ["/healthz", "/openapi.json"].includes(pathname)
  );
}

function admits({ policy, refusesTokens }: AnyCall, actor: Actor | null): boolean {
  if (policy === "public") return true;
  if (actor === null) return false;
  if (actor.isToken === true && (policy === "session" || refusesTokens === true)) return false;
  if (policy === "session") return true;
  if (policy === "admin") return actor.permissions.length > 0;
  return actor.permissions.some((held) => held === policy);
}

function isGoodPath(call: AnyCall, pathname: string): boolean {
  if (call.params === undefined) return true;
  const { groups = {} } = patternOf(call).exec(pathname) ?? {};
  return z.safeParse(call.params, { ...groups }).success;
}

function isGoodQuery(call: AnyCall, search: string): boolean {
  const parameters = new URLSearchParams(search);
  const names = [...parameters.keys()];
  if (call.query === undefined) return names.length === 0;
  return (
    new Set(names).size === names.length &&
    z.safeParse(call.query, Object.fromEntries(parameters)).success
  );
}

function isGoodBody(call: AnyCall, { body }: FuzzRequest): boolean {
  if (body === null) return call.body === undefined || call.bodyOptional === true;
  if (typeof body !== "string") return false;
  if (call.body === undefined) return body === "{}";
  return z.safeParse(call.body, parseJson(body)).success;
}

const TOKEN = /[0-9a-f]{64}|vk_[\w-]{43}/g;

function tellsSecret(
  { target }: FuzzRequest,
  { text }: FuzzAnswer,
  secrets: ReadonlySet<string>,
): boolean {
  // A refreshed session is the only response meant to contain a token.
  if (target.startsWith("/admin/auth/refresh")) return false;
  return [...text.matchAll(TOKEN)].some(([token]) => secrets.has(token));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
