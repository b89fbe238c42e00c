import type { RevocationReason, SessionRow } from "./session-row.ts";

/** A bearer lives this long and is then renewed: a stolen one is soon worthless. */
export const BEARER_LIFE_MS = 15 * 60_000;
/** A session that nobody used for this long is over. */
export const IDLE_LIFE_MS = 60 * 60_000;
/** A session ends after this long, however busy. */
export const ABSOLUTE_LIFE_MS = 12 * 60 * 60_000;
/**
 * After a rotation the browser that holds the cookie may still have requests under way with the
 * bearer before. Longer than a request lasts (10 s, docs/console.md#session) protects nobody.
 */
export const ROTATION_GRACE_MS = 10_000;

/** Hashes of what a request presented; null for what it did not. */
export type PresentedHashes = {
  readonly cookie: string | null;
  readonly bearer: string | null;
  /** What all bearers of its session have in common. */
  readonly bearerFamily: string | null;
};

export type Judgement =
  | { readonly kind: "live"; readonly session: SessionRow }
  | { readonly kind: "refused" }
  /** Its time is over; to be ended for good, so that a clock set back cannot revive it. */
  | { readonly kind: "expired"; readonly session: SessionRow }
  /** A bearer turned up again after it was replaced: someone else may hold it. */
  | { readonly kind: "stolen"; readonly session: SessionRow };

/**
 * Decides whether what a request presented is a live session.
 *
 * Either the cookie or the bearer alone will do; both together have to name the same session, or
 * neither counts. With its cookie, a bearer that has expired does no harm, one that was just
 * replaced is a request that crossed a refresh, and one replaced earlier belongs to a browser that
 * never got the refresh's answer: it is refused and renews itself by the cookie. Without the
 * cookie, a replaced bearer, however old, is a sign of theft: the whole session ends.
 */
export function judgeSession(
  sessions: readonly SessionRow[],
  presented: PresentedHashes,
  nowMs: number,
): Judgement {
  const byCookie = sessions.find((session) => session.cookie_hash === presented.cookie);
  if (presented.bearer === null) return requireLive(byCookie, nowMs);

  const byBearer = sessions.find((session) => session.bearer_hash === presented.bearer);
  if (byBearer !== undefined) {
    if (presented.cookie !== null && byCookie !== byBearer) return { kind: "refused" };
    if (presented.cookie === null && nowMs >= byBearer.bearer_expires_at)
      return { kind: "refused" };
    return requireLive(byBearer, nowMs);
  }

  const replaced = sessions.find(
    (session) => session.bearer_family_hash === presented.bearerFamily,
  );
  if (replaced === undefined) return { kind: "refused" };
  if (byCookie !== replaced) return { kind: "stolen", session: replaced };
  const isCrossing = nowMs - (replaced.rotated_at ?? 0) < ROTATION_GRACE_MS;
  return isCrossing ? requireLive(replaced, nowMs) : { kind: "refused" };
}

export function isLiveSession(session: SessionRow, nowMs: number): boolean {
  return session.revoked_at === null && session.banned_at === null && !hasExpired(session, nowMs);
}

/**
 * Whether somebody ended it: its user, a ban, a theft, Twitch. A session that ran out of time, or
 * gave way to a newer one in the same browser, ended for no reason that lies in its user.
 */
export function wasEnded(session: SessionRow): boolean {
  return (
    session.banned_at !== null ||
    (session.revoked_at !== null && !ENDS_OF_THEMSELVES.has(session.revoked_reason))
  );
}

const ENDS_OF_THEMSELVES: ReadonlySet<string | null> = new Set<RevocationReason>([
  "expired",
  "replaced",
]);

function hasExpired(session: SessionRow, nowMs: number): boolean {
  return nowMs >= session.expires_at || nowMs - session.last_seen_at >= IDLE_LIFE_MS;
}

function requireLive(session: SessionRow | undefined, nowMs: number): Judgement {
  if (session === undefined) return { kind: "refused" };
  if (isLiveSession(session, nowMs)) return { kind: "live", session };
  const isOver = session.revoked_at === null && hasExpired(session, nowMs);
  return isOver ? { kind: "expired", session } : { kind: "refused" };
}
