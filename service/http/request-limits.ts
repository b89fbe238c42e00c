import * as z from "zod/mini";
import * as auth from "#contract/auth.ts";
import { beginDeviceSignIn, finishDeviceSignIn } from "#contract/device-sign-in.ts";
import { exportAudit, verifyAudit } from "#contract/audit.ts";
import {
  beginFirstDeviceSignIn,
  beginFirstSignIn,
  readSetup,
  storeTwitchApplication,
} from "#contract/setup.ts";
import { findChannels } from "#contract/channel-lookup.ts";
import { decideVods, previewRule } from "#contract/channel-vods.ts";
import { listChannels, removeChannel, updateChannelDefaults } from "#contract/channels.ts";
import { inviteOwner, withdrawBySignIn } from "#contract/consent.ts";
import { dashboardView } from "#contract/dashboard.ts";
import { matchingFiles } from "#contract/files.ts";
import { previewSource } from "#contract/source-preview.ts";
import { findRoom, simulateRetention } from "#contract/trash.ts";
import { listFailedUploads, matchingUploadIds, uploadWork } from "#contract/uploads.ts";
import { banUser, eraseUser } from "#contract/users.ts";
import { verifyEverything } from "#contract/verification.ts";
import type { AnyCall } from "#contract/call.ts";
import { MAX_BROWSE_PAGE_SIZE } from "#contract/limits.ts";
import { sql } from "#service/db/sql.ts";
import type { Clock } from "#service/ports/clock.ts";
import type { Database } from "#service/ports/database.ts";
import { addressGroups } from "./address-groups.ts";
import { createKnownSessions, type KnownSession, type KnownSessions } from "./known-sessions.ts";
import { createRateLimiter, type RateLimit, type RateLimiter } from "./rate-limiter.ts";
import { createSoleRun, type SoleRun } from "./sole-run.ts";

/** A sign-in costs a row and a request to Twitch; a person needs a few. */
const SIGN_IN: RateLimit = { name: "sign-in", burst: 20, perMinute: 20 };
/** A console without a session makes a handful of requests; a scanner makes thousands. */
export const WITHOUT_SESSION: RateLimit = { name: "anonymous", burst: 200, perMinute: 600 };
/**
 * Three busy tabs poll about once a second (docs/console.md#intervals); this allows forty times
 * that.
 */
const READS: RateLimit = { name: "reads", burst: 400, perMinute: 2_400 };
/** Deleting a hundred selected uploads one by one must fit into the burst. */
const WRITES: RateLimit = { name: "writes", burst: 200, perMinute: 600 };

/** The API's description is half a megabyte, and tools read it once. */
export const DESCRIPTION: RateLimit = { name: "description", burst: 20, perMinute: 60 };
/** For a few metrics collectors that poll every few seconds; more are guesses of the token. */
export const METRICS: RateLimit = { name: "metrics", burst: 60, perMinute: 120 };
/** Files of the console: a first visit loads about fifty. */
export const CONSOLE_FILES: RateLimit = { name: "console", burst: 1_000, perMinute: 6_000 };

/** This many rows cost as much as a request without a list. */
const ROWS_PER_UNIT = 50;
/** Lists with sums: a channel's row of its files and VODs, and a page of failures of all by cause. */
const SUMMED_ROWS_PER_UNIT = 6;
const SUMMED_LISTS: ReadonlySet<AnyCall> = new Set<AnyCall>([listChannels, listFailedUploads]);
/** Rows before a page are passed over, but not answered. */
const SKIPPED_ROWS_PER_UNIT = 2_500;
/**
 * Items of a bulk call that cost as much as a request. Ten thousand selected ones, in batches, fit
 * into a session's burst and what is added meanwhile.
 */
const ITEMS_PER_UNIT = 25;
/** A higher price than a session's burst would refuse a page for ever. */
const MAX_SKIPPED_ROWS = 750_000;
/** Calls that read or change a whole log, list or channel, or ask Twitch, however little is asked for. */
const FIXED_COSTS: ReadonlyMap<AnyCall, number> = new Map<AnyCall, number>([
  // As many as the calls whose answers it holds.
  [dashboardView, 12],
  [exportAudit, 40],
  [verifyAudit, 40],
  [matchingUploadIds, 20],
  [matchingFiles, 30],
  [previewRule, 20],
  [updateChannelDefaults, 20],
  [simulateRetention, 20],
  [findRoom, 60],
  [verifyEverything, 60],
  [decideVods, 4],
  [uploadWork, 2],
  [removeChannel, 5],
  [banUser, 5],
  [eraseUser, 5],
  [previewSource, 5],
  [findChannels, 10],
  [inviteOwner, 5],
]);

/** Calls that judge and rank all VODs and files, by how many of these cost as much as a request. */
const RANKED_PER_UNIT: ReadonlyMap<AnyCall, number> = new Map<AnyCall, number>([
  [previewRule, 1_800],
  [updateChannelDefaults, 1_250],
  [simulateRetention, 1_800],
]);
/** With 20 for the call itself, less than a session's burst of writes. */
const MAX_RANKING_COST = 160;

/** One person's browsers and scripts together may use as much as two sessions. */
const ACCOUNT_ALLOWANCE = 2;

const READING: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

const SIGN_IN_CALLS: ReadonlySet<AnyCall> = new Set<AnyCall>([
  auth.login,
  auth.callback,
  withdrawBySignIn,
  beginDeviceSignIn,
  finishDeviceSignIn,
  readSetup,
  storeTwitchApplication,
  beginFirstSignIn,
  beginFirstDeviceSignIn,
]);

export function signInLimit(call: AnyCall): RateLimit | null {
  return SIGN_IN_CALLS.has(call) ? SIGN_IN : null;
}

/** Parameters of lists, and by how much each group multiplies the cost. */
const COSTLY_PARAMETERS = [
  { names: ["search", "recordedFrom"], factor: 3 },
  { names: ["status", "uploadType"], factor: 2 },
  { names: ["sortBy"], factor: 2 },
];

/**
 * The cost of a call in cheap requests: long lists, far pages, searches, filters and orders take CPU
 * time. The parameters need not be validated yet.
 */
export function requestCost(call: AnyCall, query: URLSearchParams): number {
  const fixed = FIXED_COSTS.get(call);
  if (fixed !== undefined) return fixed;
  const rows = Math.min(numberIn(query, "limit", ROWS_PER_UNIT), MAX_BROWSE_PAGE_SIZE);
  const skippedRows = numberIn(query, "offset", (numberIn(query, "page", 1) - 1) * rows);
  const pages = Math.ceil(rows / (SUMMED_LISTS.has(call) ? SUMMED_ROWS_PER_UNIT : ROWS_PER_UNIT));
  const factor = COSTLY_PARAMETERS.filter(({ names }) => names.some((name) => query.has(name)))
    .map((costly) => costly.factor)
    .reduce((product, each) => product * each, 1);
  return (
    pages * factor + Math.floor(Math.min(skippedRows, MAX_SKIPPED_ROWS) / SKIPPED_ROWS_PER_UNIT)
  );
}

/** What the lists of a body add to the cost of its call: bulk calls work for each item. */
export function bodyCost(body: unknown): number {
  if (typeof body !== "object" || body === null) return 0;
  const items = Object.values(body).reduce(
    (sum: number, value: unknown) => sum + (Array.isArray(value) ? value.length : 0),
    0,
  );
  return Math.floor(items / ITEMS_PER_UNIT);
}

const rankedRow = z.object({ vods: z.number(), files: z.number() });

/** What a call that ranks all VODs and files costs beyond its price; those deleted since count, too. */
export async function rankingCost(call: AnyCall, database: Database): Promise<number> {
  const rankedPerUnit = RANKED_PER_UNIT.get(call);
  if (rankedPerUnit === undefined) return 0;
  const [row] = await database.all(sql`SELECT ifnull((SELECT max(seq) FROM vods), 0) AS vods,
    ifnull((SELECT max(seq) FROM files), 0) AS files`);
  const { vods, files } = rankedRow.parse(row);
  return Math.min(MAX_RANKING_COST, Math.floor((vods + files) / rankedPerUnit));
}

function numberIn(query: URLSearchParams, name: string, otherwise: number): number {
  const value = Number(query.get(name));
  return value >= 1 ? value : otherwise;
}

/** Counters of one process, shared by all services in it. */
export type RequestLimits = {
  readonly limiter: RateLimiter;
  readonly knownSessions: KnownSessions;
  readonly soleRun: SoleRun;
};

export function createRequestLimits(clock: Clock, factor: number): RequestLimits {
  return {
    limiter: createRateLimiter(clock, factor),
    knownSessions: createKnownSessions(),
    soleRun: createSoleRun(clock),
  };
}

/**
 * Counts a request for its address.
 * @throws {ApiError} rate_limited
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
 * Counts a request for its session and for its account, so that one person cannot bypass the limit
 * with many sessions. An account's tokens have an allowance of their own: programs do not keep their
 * owner out of the console.
 * @throws {ApiError} rate_limited
 */
export function takeForSession(
  limiter: RateLimiter,
  method: string,
  { sessionId, userId, token }: KnownSession,
  cost: number,
): void {
  const limit = READING.has(method) ? READS : WRITES;
  limiter.take(limit, sessionId, cost);
  const name = `${token === null ? "account" : "tokens"} ${limit.name}`;
  limiter.take(widen({ ...limit, name }, ACCOUNT_ALLOWANCE), userId, cost);
}

function widen(limit: RateLimit, factor: number): RateLimit {
  return { name: limit.name, burst: limit.burst * factor, perMinute: limit.perMinute * factor };
}
