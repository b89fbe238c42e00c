import { auditEntryIfChanged } from "#service/audit/audit-entry.ts";
import type { ServiceContext } from "#service/context.ts";
import type { Principal } from "#service/http/route.ts";
import { DatabaseError } from "#service/ports/database.ts";
import type { Digests } from "#service/ports/digests.ts";
import type { CookieJar } from "./session-cookie.ts";
import { publishRightsChanged } from "./session-events.ts";
import { isLiveSession, judgeSession, type PresentedHashes } from "./session-judgement.ts";
import type { SessionRow } from "./session-row.ts";
import { findSession, findSessions, revokeSession, touchSession } from "./session-store.ts";
import { hashFamily, hashToken, isToken } from "./session-tokens.ts";
import { redeemStreamTicket } from "./stream-ticket-store.ts";

/** The credentials of a request, not verified yet. */
export type Credentials = {
  readonly cookie: string | null;
  readonly bearer: string | null;
  /** A presented value cannot be a token: refuse the request, whatever its other credentials. */
  readonly isMalformed: boolean;
};

export type Authenticator = {
  readCredentials(request: Request): Credentials;
  /**
   * The live session of the credentials, or null. Ends a session whose replaced bearer is reused.
   */
  authenticate(credentials: Credentials): Promise<SessionRow | null>;
  /** For event streams, whose `token` parameter holds a ticket or the bearer. */
  authenticateStream(token: string, credentials: Credentials): Promise<SessionRow | null>;
};

/** Recording every use would cost one write per request; idle time is counted in minutes. */
const TOUCH_EVERY_MS = 60_000;

export function createAuthenticator(
  { platform, log }: ServiceContext,
  cookies: CookieJar,
): Authenticator {
  const { database, clock, digests } = platform;

  async function authenticate(credentials: Credentials): Promise<SessionRow | null> {
    if (credentials.isMalformed) return null;
    const presented = await hashPresented(digests, credentials);
    if (presented.cookie === null && presented.bearer === null) return null;
    const nowMs = clock.now();
    const judgement = judgeSession(await findSessions(database, presented), presented, nowMs);
    if (judgement.kind === "refused") return null;
    if (judgement.kind === "expired") {
      await database.batch(revokeSession(judgement.session.id, "expired", nowMs), {
        isEssential: true,
      });
      return null;
    }
    if (judgement.kind === "stolen") {
      await endStolenSession(judgement.session, nowMs);
      return null;
    }
    await touch(judgement.session, nowMs);
    return judgement.session;
  }

  async function endStolenSession(session: SessionRow, nowMs: number): Promise<void> {
    if (session.revoked_at !== null) return;
    const [, ended] = await database.batch(
      [
        ...revokeSession(session.id, "bearer_reused", nowMs),
        auditEntryIfChanged({
          atMs: nowMs,
          actorId: session.user_id,
          action: "session.revoke",
          target: session.id,
          result: "done",
          reason: "A bearer was used again after it had been replaced",
        }),
      ],
      { isEssential: true },
    );
    if (ended?.changes !== 1) return;
    log.warn("A replaced bearer was used again; its session has been ended", {
      userId: session.user_id,
    });
    await publishRightsChanged(platform, session.user_id);
  }

  async function touch(session: SessionRow, nowMs: number): Promise<void> {
    if (nowMs - session.last_seen_at < TOUCH_EVERY_MS) return;
    try {
      await database.run(touchSession(session.id, nowMs));
    } catch (error) {
      // Reads can continue; a session that is not touched only expires earlier.
      if (!(error instanceof DatabaseError)) throw error;
      log.warn("The use of a session could not be noted", { error });
    }
  }

  return {
    readCredentials(request) {
      const cookie = cookies.session.read(request);
      const authorization = request.headers.get("authorization");
      const bearer = authorization?.startsWith("Bearer ") === true ? authorization.slice(7) : null;
      return {
        cookie,
        bearer,
        isMalformed:
          (authorization !== null && (bearer === null || !isToken(bearer))) ||
          (cookie === null ? cookies.session.isPresent(request) : !isToken(cookie)),
      };
    },

    authenticate,

    async authenticateStream(token, credentials) {
      if (!isToken(token) || credentials.isMalformed) return null;
      const sessionId = await redeemStreamTicket(
        database,
        await hashToken(digests, token),
        clock.now(),
      );
      if (sessionId === null)
        return await authenticate({
          cookie: credentials.cookie,
          bearer: token,
          isMalformed: false,
        });
      const session = await findSession(database, sessionId);
      return session !== null && isLiveSession(session, clock.now()) ? session : null;
    },
  };
}

export async function hashPresented(
  digests: Digests,
  credentials: Pick<Credentials, "cookie" | "bearer">,
): Promise<PresentedHashes> {
  const [cookie, bearer, bearerFamily] = await Promise.all([
    credentials.cookie === null ? null : hashToken(digests, credentials.cookie),
    credentials.bearer === null ? null : hashToken(digests, credentials.bearer),
    credentials.bearer === null ? null : hashFamily(digests, credentials.bearer),
  ]);
  return { cookie, bearer, bearerFamily };
}

export function principalOfSession(session: SessionRow): Principal {
  return {
    sessionId: session.id,
    userId: session.user_id,
    login: session.login,
    isAdmin: session.permissions.length > 0,
    permissions: session.permissions,
    signedInAtMs: session.created_at,
  };
}
