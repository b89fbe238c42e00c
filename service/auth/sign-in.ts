import type { SessionGrant } from "#contract/auth.ts";
import { PERMISSIONS } from "#contract/permissions.ts";
import { auditEntry } from "#service/changes/audit-entry.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { ServiceContext } from "#service/context.ts";
import { ApiError } from "#service/api-error.ts";
import type { SecretCipher } from "#service/secrets/secret-cipher.ts";
import type { DeviceWait } from "#service/twitch/twitch-oauth.ts";
import type { TwitchUser } from "#service/twitch/twitch-api.ts";
import type { IdentityProof, ProvedIdentity, Redirect } from "./identity-proof.ts";
import type { SessionClient } from "./own-sessions.ts";
import { ABSOLUTE_LIFE_MS, BEARER_LIFE_MS, ROTATION_GRACE_MS } from "./session-validity.ts";
import type { SessionRow } from "./session-row.ts";
import {
  findSession,
  insertSession,
  revokeOldestSessions,
  revokeSession,
  rotateBearer,
} from "./session-store.ts";
import { deriveBearer, hashFamily, hashToken, newToken } from "./session-tokens.ts";
import { describeAdmin, upsertUser } from "./signed-in-user.ts";
import { insertStreamTicket } from "./stream-ticket-store.ts";

export type SignIn = {
  /** @throws {ApiError} invalid_request, forbidden (banned), upstream_error */
  finish(
    input: Redirect & { readonly opening: Opening },
  ): Promise<{ cookie: string; grant: SessionGrant }>;
  /** Only proves who it is, for what a banned person may still do. @throws as `finish` */
  identify(input: Redirect): Promise<TwitchUser>;
  /** As often as Twitch says, until it is no longer one of its waits. */
  finishByDevice(input: {
    state: string;
    browser: string | null;
    opening: Opening;
  }): Promise<{ cookie: string; grant: SessionGrant } | DeviceWait>;
  /** Renews the bearer. Two concurrent refreshes return the same one. */
  refresh(
    session: SessionRow,
    cookie: string,
    presentedBearer: string | null,
  ): Promise<SessionGrant>;
  issueStreamTicket(sessionId: string): Promise<string>;
};

/** Calls `open` once: with true if this sign-in makes its account the first administrator. */
export type OpenAsFirst = <Opened>(
  state: string,
  open: (isFirst: boolean) => Promise<Opened>,
) => Promise<Opened>;

/** The request that opens a session. */
type Opening = {
  /** The browser's previous session. */
  readonly replaces: SessionRow | null;
  readonly client: SessionClient;
  readonly requestId: string;
};

/**
 * A sign-in begins at `auth/login` with a random state bound to the browser by a cookie, continues
 * at Twitch, and ends here: once Twitch has said who it is, the user with that numeric Twitch id is
 * created or updated, and gets a session.
 */
export function createSignIn(
  context: ServiceContext,
  identities: IdentityProof,
  cipher: SecretCipher,
  openAsFirst: OpenAsFirst,
): SignIn {
  const { database, clock, random, digests } = context.platform;
  const { settings } = context;
  const bootstrapIds = new Set(settings.ADMIN_TWITCH_IDS);

  async function openSession(
    user: TwitchUser,
    tokens: { accessToken: string; refreshToken: string | null },
    { replaces, client, requestId }: Opening,
    isFirst: boolean,
  ): Promise<{ cookie: string; session: SessionRow; bearer: string }> {
    const nowMs = clock.now();
    const id = newToken(random).slice(0, 24);
    const cookie = newToken(random);
    const bearer = await deriveBearer(cookie, id, nowMs);
    const sessionStatement = insertSession(
      {
        id,
        userId: user.id,
        cookieHash: await hashToken(digests, cookie),
        bearerHash: await hashToken(digests, bearer),
        bearerFamilyHash: await hashFamily(digests, bearer),
        bearerExpiresAtMs: nowMs + BEARER_LIFE_MS,
        expiresAtMs: nowMs + ABSOLUTE_LIFE_MS,
        twitchAccessToken: await cipher.encrypt(tokens.accessToken, id),
        twitchRefreshToken:
          tokens.refreshToken === null ? null : await cipher.encrypt(tokens.refreshToken, id),
        client,
      },
      nowMs,
    );
    await database.batch(
      [
        ...upsertUser(user, isFirst || bootstrapIds.has(user.id), nowMs),
        ...(isFirst
          ? [
              auditEntry({
                atMs: nowMs,
                actorId: user.id,
                action: "setup.administrator",
                target: user.id,
                after: { permissions: PERMISSIONS },
                requestId,
                address: client.address,
              }),
            ]
          : []),
        ...recordedChange(sessionStatement, nowMs, {
          audit: {
            actorId: user.id,
            action: "session.open",
            target: id,
            requestId,
            address: client.address,
          },
        }),
        ...(replaces === null ? [] : revokeSession(replaces.id, "replaced", nowMs)),
        ...revokeOldestSessions(user.id, nowMs, {
          actorId: user.id,
          action: "session.end",
          target: user.id,
          reason: "too_many",
          requestId,
          address: client.address,
        }),
      ],
      { isEssential: true },
    );
    const session = await findSession(database, id);
    if (session === null) {
      await database.run(
        auditEntry({
          atMs: nowMs,
          actorId: user.id,
          action: "session.open",
          target: null,
          result: "refused",
          reason: "The user is banned",
          requestId,
          address: client.address,
        }),
      );
      throw new ApiError("forbidden", "This account has been banned from the admin panel.", {
        isAudited: true,
      });
    }
    return { cookie, session, bearer };
  }

  async function issueStreamTicket(sessionId: string): Promise<string> {
    const ticket = newToken(random);
    await database.run(
      insertStreamTicket(await hashToken(digests, ticket), sessionId, clock.now()),
      { isEssential: true },
    );
    return ticket;
  }

  async function grant(session: SessionRow, bearer: string): Promise<SessionGrant> {
    return {
      token: bearer,
      tokenExpiresAt: new Date(session.bearer_expires_at).toISOString(),
      streamTicket: await issueStreamTicket(session.id),
      admin: await describeAdmin(context, session),
    };
  }

  /** Whether another refresh was just answered and this request does not have its bearer yet. */
  async function isCrossing(session: SessionRow, presentedBearer: string | null): Promise<boolean> {
    const rotatedAtMs = session.rotated_at ?? 0;
    const isFirst = rotatedAtMs <= session.created_at;
    if (isFirst || clock.now() - rotatedAtMs >= ROTATION_GRACE_MS) return false;
    return (
      presentedBearer === null ||
      (await hashToken(digests, presentedBearer)) !== session.bearer_hash
    );
  }

  /** Null when another refresh was faster. */
  async function rotate(session: SessionRow, cookie: string): Promise<SessionGrant | null> {
    const rotatedAtMs = Math.max(clock.now(), (session.rotated_at ?? 0) + 1);
    const bearer = await deriveBearer(cookie, session.id, rotatedAtMs);
    const bearerExpiresAtMs = Math.min(rotatedAtMs + BEARER_LIFE_MS, session.expires_at);
    const { changes } = await database.run(
      rotateBearer(session, {
        bearerHash: await hashToken(digests, bearer),
        rotatedAtMs,
        bearerExpiresAtMs,
      }),
      { isEssential: true },
    );
    if (changes === 0) return null;
    return await grant({ ...session, bearer_expires_at: bearerExpiresAtMs }, bearer);
  }

  async function admit(
    state: string,
    { user, tokens }: ProvedIdentity,
    opening: Opening,
  ): Promise<{ cookie: string; grant: SessionGrant }> {
    const opened = await openAsFirst(state, (isFirst) =>
      openSession(user, tokens, opening, isFirst),
    );
    return { cookie: opened.cookie, grant: await grant(opened.session, opened.bearer) };
  }

  return {
    identify: async (redirect) => (await identities.byRedirect(redirect)).user,

    finish: async ({ opening, ...redirect }) =>
      await admit(redirect.state, await identities.byRedirect(redirect), opening),

    async finishByDevice({ state, browser, opening }) {
      const proved = await identities.byDevice(state, browser);
      return typeof proved === "string" ? proved : await admit(state, proved, opening);
    },

    async refresh(session, cookie, presentedBearer) {
      if (!(await isCrossing(session, presentedBearer))) {
        const renewed = await rotate(session, cookie);
        if (renewed !== null) return renewed;
      }
      const current = (await findSession(database, session.id)) ?? session;
      const bearer = await deriveBearer(cookie, current.id, current.rotated_at ?? 0);
      return await grant(current, bearer);
    },

    issueStreamTicket,
  };
}
