import { expect, test } from "vitest";
import { userIdSchema } from "#contract/ids.ts";
import { classifySession, type SessionValidity, type PresentedHashes } from "./session-validity.ts";
import type { SessionRow } from "./session-row.ts";

const MINUTE_MS = 60_000;

/** A session opened and renewed at time zero, and last used a minute before `nowMs`. */
function sessionAt(nowMs: number, change: Partial<SessionRow> = {}): SessionRow {
  return {
    id: "session",
    user_id: userIdSchema.parse("1001"),
    cookie_hash: "cookie",
    bearer_hash: "bearer",
    bearer_family_hash: "family",
    rotated_at: 0,
    bearer_expires_at: 15 * MINUTE_MS,
    created_at: 0,
    last_seen_at: nowMs - MINUTE_MS,
    expires_at: 12 * 60 * MINUTE_MS,
    revoked_at: null,
    revoked_reason: null,
    login: "dana",
    display_name: "Dana",
    profile_image_url: null,
    permissions: [],
    banned_at: null,
    ...change,
  };
}

type Case = {
  readonly name: string;
  readonly presented: PresentedHashes;
  readonly session?: Partial<SessionRow>;
  /** The first instant with the later validity. */
  readonly endsAtMs: number;
  readonly later: SessionValidity["kind"];
};

const COOKIE: PresentedHashes = { cookie: "cookie", bearer: null, bearerFamily: null };

const cases: readonly Case[] = [
  {
    name: "a bearer token alone, for 15 minutes",
    presented: { cookie: null, bearer: "bearer", bearerFamily: "family" },
    endsAtMs: 15 * MINUTE_MS,
    later: "refused",
  },
  {
    name: "a request concurrent with a refresh, for 10 seconds",
    presented: { cookie: "cookie", bearer: "replaced bearer", bearerFamily: "family" },
    endsAtMs: 10_000,
    later: "refused",
  },
  {
    name: "an unused session, for an hour",
    presented: COOKIE,
    session: { last_seen_at: 0 },
    endsAtMs: 60 * MINUTE_MS,
    later: "expired",
  },
  {
    name: "a session in use, for twelve hours",
    presented: COOKIE,
    endsAtMs: 12 * 60 * MINUTE_MS,
    later: "expired",
  },
];

test.each(cases)(
  "a session stays live to the exact millisecond: $name",
  ({ presented, session, endsAtMs, later }) => {
    const kindAt = (nowMs: number) =>
      classifySession([sessionAt(nowMs, session)], presented, nowMs).kind;
    expect(kindAt(endsAtMs - 1)).toBe("live");
    expect(kindAt(endsAtMs)).toBe(later);
  },
);
