import * as auth from "#contract/auth.ts";
import type { AnyCall } from "#contract/call.ts";
import type { RateLimit } from "./rate-limiter.ts";

/** Begun and finished sign-ins cost a row and a request to Twitch; a person needs a few. */
const SIGN_IN: RateLimit = { name: "sign-in", burst: 20, perMinute: 20 };
/** A console without a session asks a handful of things; a scanner asks thousands. */
const WITHOUT_SESSION: RateLimit = { name: "anonymous", burst: 200, perMinute: 600 };
/**
 * Three busy tabs poll about once a second (docs/console.md#intervals); this is forty times that.
 */
const READS: RateLimit = { name: "reads", burst: 400, perMinute: 2_400 };
/** Deleting a hundred selected uploads one by one has to fit into the burst. */
const WRITES: RateLimit = { name: "writes", burst: 200, perMinute: 600 };

/**
 * Refusals of other sites' requests: each leaves an audit row, which nobody may have written at
 * will. Past this they are put off instead, without a row.
 */
export const FOREIGN_SITES: RateLimit = { name: "foreign", burst: 1_000, perMinute: 600 };

const READING: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

export function signInLimit(call: AnyCall): RateLimit | null {
  return call === auth.login || call === auth.callback ? SIGN_IN : null;
}

export function requestLimit(call: { readonly method: string }, hasSession: boolean): RateLimit {
  if (!hasSession) return WITHOUT_SESSION;
  return READING.has(call.method) ? READS : WRITES;
}
