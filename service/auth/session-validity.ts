import type { RevocationReason, SessionRow } from "./session-row.ts";

/** Lifetime of a bearer before it is renewed; limits the use of a stolen one. */
export const BEARER_LIFE_MS = 15 * 60_000;
/** A session unused for this long has expired. */
export const IDLE_LIFE_MS = 60 * 60_000;
/** Maximum lifetime of a session, however active. */
export const ABSOLUTE_LIFE_MS = 12 * 60 * 60_000;
/**
 * After a rotation, the browser that holds the cookie may still have requests under way with the
 * previous bearer. A request lasts at most 10 s (docs/console.md#session), so a longer grace has no
 * use.
 */
export const ROTATION_GRACE_MS = 10_000;

/** Hashes of the presented credentials; null for absent ones. */
export type PresentedHashes = {
  readonly cookie: string | null;
  readonly bearer: string | null;
  /** Shared by all bearers of a session. */
  readonly bearerFamily: string | null;
};

export type SessionValidity =
  | { readonly kind: "live"; readonly session: SessionRow }
  | { readonly kind: "refused" }
  /** Expired; must be ended permanently, so that setting the clock back cannot revive it. */
  | { readonly kind: "expired"; readonly session: SessionRow }
  /** A replaced bearer was used again: someone else may hold it. */
  | { readonly kind: "stolen"; readonly session: SessionRow };

/**
 * Decides whether the presented credentials belong to a live session.
 *
 * The cookie or the bearer alone is enough; if both are sent, they must name the same session.
 *
 * With the cookie, an expired bearer is accepted, and so is one replaced within the grace period,
 * because the request may have crossed a refresh. One replaced earlier is refused: the browser
 * never got the refresh's answer and renews by the cookie. Without the cookie, a replaced bearer of
 * any age is a sign of theft and ends the whole session.
 */
export function classifySession(
  sessions: readonly SessionRow[],
  presented: PresentedHashes,
  nowMs: number,
): SessionValidity {
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

/** The columns that tell whether a session, or an API token, is live. */
type Life = Pick<
  SessionRow,
  "revoked_at" | "revoked_reason" | "banned_at" | "expires_at" | "last_seen_at"
>;

export function isLiveSession(session: Life, nowMs: number): boolean {
  return session.revoked_at === null && session.banned_at === null && !hasExpired(session, nowMs);
}

/**
 * Whether it was ended deliberately: by its user, a ban, a theft or Twitch. Sessions that expired,
 * or were replaced by a newer one in the same browser, do not count.
 */
export function wasEnded(session: Life): boolean {
  return (
    session.banned_at !== null ||
    (session.revoked_at !== null && !ENDS_OF_THEMSELVES.has(session.revoked_reason))
  );
}

const ENDS_OF_THEMSELVES: ReadonlySet<string | null> = new Set<RevocationReason>([
  "expired",
  "replaced",
]);

function hasExpired(session: Life, nowMs: number): boolean {
  return nowMs >= session.expires_at || nowMs - session.last_seen_at >= IDLE_LIFE_MS;
}

function requireLive(session: SessionRow | undefined, nowMs: number): SessionValidity {
  if (session === undefined) return { kind: "refused" };
  if (isLiveSession(session, nowMs)) return { kind: "live", session };
  const isOver = session.revoked_at === null && hasExpired(session, nowMs);
  return isOver ? { kind: "expired", session } : { kind: "refused" };
}
