import * as auth from "#contract/auth.ts";
import type { AnyCall } from "#contract/call.ts";
import type { Clock } from "#service/ports/clock.ts";
import { addressGroups } from "./address-groups.ts";
import { createKnownSessions, type KnownSession, type KnownSessions } from "./known-sessions.ts";
import { createRateLimiter, type RateLimit, type RateLimiter } from "./rate-limiter.ts";

/** Begun and finished sign-ins cost a row and a request to Twitch; a person needs a few. */
const SIGN_IN: RateLimit = { name: "sign-in", burst: 20, perMinute: 20 };
/** A console without a session asks a handful of things; a scanner asks thousands. */
export const WITHOUT_SESSION: RateLimit = { name: "anonymous", burst: 200, perMinute: 600 };
/**
 * Three busy tabs poll about once a second (docs/console.md#intervals); this is forty times that.
 */
const READS: RateLimit = { name: "reads", burst: 400, perMinute: 2_400 };
/** Deleting a hundred selected uploads one by one has to fit into the burst. */
const WRITES: RateLimit = { name: "writes", burst: 200, perMinute: 600 };

/** One person's browsers and scripts together may do as much as two sessions. */
const ACCOUNT_ALLOWANCE = 2;

/**
 * Refusals of other sites' requests: each leaves an audit row, which nobody may have written at
 * will. Past this they are put off instead, without a row.
 */
export const FOREIGN_SITES: RateLimit = { name: "foreign", burst: 1_000, perMinute: 600 };

const READING: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

export function signInLimit(call: AnyCall): RateLimit | null {
  return call === auth.login || call === auth.callback ? SIGN_IN : null;
}

/** What one process counts of its clients: one for all services in it. */
export type RequestLimits = {
  readonly limiter: RateLimiter;
  readonly knownSessions: KnownSessions;
};

export function createRequestLimits(clock: Clock, factor: number): RequestLimits {
  return { limiter: createRateLimiter(clock, factor), knownSessions: createKnownSessions() };
}

/**
 * Counts a request for its address.
 * @throws {Failure} rate_limited
 */
export function takeForAddress(limiter: RateLimiter, limit: RateLimit, address: string): void {
  for (const group of addressGroups(address))
    limiter.take(widen(limit, group.allowance), group.name);
}

export function giveBackToAddress(limiter: RateLimiter, limit: RateLimit, address: string): void {
  for (const group of addressGroups(address))
    limiter.giveBack(widen(limit, group.allowance), group.name);
}

/**
 * Counts a request for its session and for the account, so that many sessions of one person are no
 * way around the limit.
 * @throws {Failure} rate_limited
 */
export function takeForSession(
  limiter: RateLimiter,
  method: string,
  { sessionId, userId }: KnownSession,
  cost: number,
): void {
  const limit = READING.has(method) ? READS : WRITES;
  limiter.take(limit, sessionId, cost);
  limiter.take(widen({ ...limit, name: `account ${limit.name}` }, ACCOUNT_ALLOWANCE), userId, cost);
}

function widen(limit: RateLimit, by: number): RateLimit {
  return { name: limit.name, burst: limit.burst * by, perMinute: limit.perMinute * by };
}
