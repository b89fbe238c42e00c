import { isApiToken } from "#contract/tokens.ts";
import type { ServiceContext } from "#service/context.ts";
import type { Authenticator, Credentials } from "#service/http/authenticator.ts";
import { bearerOf } from "#service/http/bearer.ts";
import type { Principal } from "#service/http/route.ts";
import { DatabaseError } from "#service/ports/database.ts";
import type { Digests } from "#service/ports/digests.ts";
import { createTokenAccess } from "./token-access.ts";
import type { CookieJar } from "./session-cookie.ts";
import { publishRightsChanged } from "./session-events.ts";
import { isLiveSession, classifySession, type PresentedHashes } from "./session-validity.ts";
import type { SessionRow } from "./session-row.ts";
import { findSession, findSessions, revokeSession, touchSession } from "./session-store.ts";
import { hashFamily, hashToken, isToken } from "./session-tokens.ts";
import type { Account } from "./signed-in-user.ts";
import { redeemStreamTicket } from "./stream-ticket-store.ts";

/** For the feature's own calls, which need the session's row. */
export type SessionAuthenticator = Authenticator & {
  liveSession(request: Request): Promise<SessionRow | null>;
  /** The owner of the request's API token, with the token's rights. */
  tokenOwner(request: Request): Promise<Account | null>;
};

/** Recording every use would cost one write per request; idle time is counted in minutes. */
const TOUCH_EVERY_MS = 60_000;

export function createAuthenticator(
  { platform, log }: ServiceContext,
  cookies: CookieJar,
): SessionAuthenticator {
  const { database, clock, digests } = platform;
  const tokens = createTokenAccess({ platform, log });

  async function findLive(credentials: Credentials): Promise<SessionRow | null> {
    if (credentials.isMalformed) return null;
    const presented = await hashPresented(digests, credentials);
    if (presented.cookie === null && presented.bearer === null) return null;
    const nowMs = clock.now();
    const validity = classifySession(await findSessions(database, presented), presented, nowMs);
    if (validity.kind === "refused") return null;
    if (validity.kind === "expired") {
      await database.batch(revokeSession(validity.session.id, "expired", nowMs), {
        isEssential: true,
      });
      return null;
    }
    if (validity.kind === "stolen") {
      await endStolenSession(validity.session, nowMs);
      return null;
    }
    await touch(validity.session, nowMs);
    return validity.session;
  }

  async function endStolenSession(session: SessionRow, nowMs: number): Promise<void> {
    if (session.revoked_at !== null) return;
    const [ended] = await database.batch(
      revokeSession(session.id, "bearer_reused", nowMs, {
        audit: {
          actorId: session.user_id,
          action: "session.revoke",
          target: session.id,
          reason: "A replaced bearer token was used again",
        },
      }),
      { isEssential: true },
    );
    if (ended?.changes !== 1) return;
    log.warn("A replaced bearer token was used again; its session was ended", {
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
      log.warn("The last use of a session could not be recorded", { error });
    }
  }

  async function findLiveByToken(
    token: string,
    credentials: Credentials,
  ): Promise<SessionRow | null> {
    if (!isToken(token) || credentials.isMalformed) return null;
    const sessionId = await redeemStreamTicket(
      database,
      await hashToken(digests, token),
      clock.now(),
    );
    if (sessionId === null)
      return await findLive({ cookie: credentials.cookie, bearer: token, isMalformed: false });
    const session = await findSession(database, sessionId);
    return session !== null && isLiveSession(session, clock.now()) ? session : null;
  }

  function readCredentials(request: Request): Credentials {
    const authorization = request.headers.get("authorization");
    const bearer = bearerOf(authorization);
    // A program's request is the token's alone, even if a browser adds a cookie.
    if (isApiToken(bearer)) return { cookie: null, bearer, isMalformed: false };
    const cookie = cookies.session.read(request);
    return {
      cookie,
      bearer,
      isMalformed:
        (authorization !== null && (bearer === null || !isToken(bearer))) ||
        (cookie === null ? cookies.session.isPresent(request) : !isToken(cookie)),
    };
  }

  return {
    readCredentials,
    liveSession: (request) => findLive(readCredentials(request)),
    tokenOwner: async (request) => {
      const { bearer } = readCredentials(request);
      return isApiToken(bearer) ? await tokens.find(bearer) : null;
    },
    authenticate: async (credentials, clientAddress) =>
      isApiToken(credentials.bearer)
        ? await tokens.use(credentials.bearer, clientAddress)
        : toPrincipal(await findLive(credentials)),
    authenticateStream: async (token, credentials) =>
      toPrincipal(await findLiveByToken(token, credentials)),
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

function toPrincipal(session: SessionRow | null): Principal | null {
  if (session === null) return null;
  return {
    sessionId: session.id,
    userId: session.user_id,
    login: session.login,
    isAdmin: session.permissions.length > 0,
    permissions: session.permissions,
    signedInAtMs: session.created_at,
    token: null,
  };
}
