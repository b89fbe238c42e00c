import * as calls from "#contract/auth.ts";
import { endSession, listSessions } from "#contract/sessions.ts";
import type { ServiceContext } from "#service/context.ts";
import { ApiError } from "#service/api-error.ts";
import { principalOf, route, type RequestContext, type Route } from "#service/http/route.ts";
import type { TwitchOauth } from "#service/twitch/twitch-oauth.ts";
import { hashPresented, type SessionAuthenticator } from "./authenticator.ts";
import { LOGIN_STATE_LIFE_MS, type LoginStates } from "./login-state.ts";
import { nonceOf } from "./identity-token.ts";
import { listOwnSessions, readSessionClient } from "./own-sessions.ts";
import type { CookieJar } from "./session-cookie.ts";
import type { SessionEnding } from "./session-ending.ts";
import { ABSOLUTE_LIFE_MS } from "./session-validity.ts";
import { END_SENTENCES } from "./session-row.ts";
import { findSession, findSessions } from "./session-store.ts";
import { isToken, newToken } from "./session-tokens.ts";
import type { SignIn } from "./sign-in.ts";
import { describeAdmin } from "./signed-in-user.ts";

type AuthFeatures = {
  readonly authenticator: SessionAuthenticator;
  readonly cookies: CookieJar;
  readonly loginStates: LoginStates;
  readonly signIn: SignIn;
  readonly ending: SessionEnding;
  readonly twitch: TwitchOauth;
};

/** Starts a sign-in: sets the browser's cookie, and returns the address of Twitch's consent page. */
export type BeginSignIn = (
  context: RequestContext,
) => Promise<{ readonly authUrl: string; readonly state: string }>;

export function createBeginSignIn(
  { platform }: Pick<ServiceContext, "platform">,
  { cookies, loginStates, twitch }: Pick<AuthFeatures, "cookies" | "loginStates" | "twitch">,
): BeginSignIn {
  const { clock, random, digests } = platform;
  return async (context) => {
    const known = cookies.login.read(context.request);
    // Two tabs that sign in at once share the browser's cookie, so both can finish.
    const browser = known !== null && isToken(known) ? known : newToken(random);
    const state = await loginStates.issue(browser, clock.now());
    setCookie(context, cookies.login.write(browser, LOGIN_STATE_LIFE_MS / 1_000));
    const nonce = await nonceOf(digests, state, browser);
    return { authUrl: twitch.authorizeUrl({ state, nonce }), state };
  };
}

export function authRoutes(
  service: ServiceContext,
  features: AuthFeatures,
  beginSignIn: BeginSignIn,
): Route[] {
  const { platform } = service;
  const { authenticator, cookies, signIn, ending } = features;
  const { database, clock, digests } = platform;

  return [
    route(calls.login, async ({ context }) => {
      const { authUrl } = await beginSignIn(context);
      return { authUrl };
    }),

    route(calls.callback, async ({ body, context }) => {
      const { cookie, grant } = await signIn.finish({
        ...body,
        browser: cookies.login.read(context.request),
        opening: {
          replaces: await authenticator.liveSession(context.request),
          client: readSessionClient(context.request, context.clientAddress),
          requestId: context.requestId,
        },
      });
      setCookie(context, cookies.session.write(cookie, ABSOLUTE_LIFE_MS / 1_000));
      return grant;
    }),

    route(calls.logout, async ({ context }) => {
      const credentials = authenticator.readCredentials(context.request);
      const sessions = await findSessions(database, await hashPresented(digests, credentials));
      await ending.signOut(sessions, context);
      setCookie(context, cookies.session.clear());
      context.responseHeaders.set("clear-site-data", '"storage"');
      return {};
    }),

    route(calls.refresh, async ({ context }) => {
      const { cookie, bearer } = authenticator.readCredentials(context.request);
      const session = await authenticator.liveSession(context.request);
      if (session === null || cookie === null)
        throw new ApiError("unauthenticated", "Please sign in again.");
      return await signIn.refresh(session, cookie, bearer);
    }),

    route(calls.validate, async ({ context }) => {
      const tokenOwner = await authenticator.tokenOwner(context.request);
      if (tokenOwner !== null)
        return { valid: true, admin: await describeAdmin(service, tokenOwner) };
      const session = await authenticator.liveSession(context.request);
      if (session === null) {
        const { cookie } = authenticator.readCredentials(context.request);
        const ended = cookie === null ? null : await readEnd(platform, cookie);
        return { valid: false, admin: null, ...(ended === null ? {} : { ended }) };
      }
      return {
        valid: true,
        admin: await describeAdmin(service, session),
        streamTicket: await signIn.issueStreamTicket(session.id),
      };
    }),

    route(listSessions, async ({ context }) => ({
      sessions: await listOwnSessions(database, principalOf(context), clock.now()),
    })),

    route(endSession, async ({ params, context }) => {
      const session = await findSession(database, params.id);
      if (session === null || session.user_id !== principalOf(context).userId)
        throw new ApiError("not_found", "You have no such session.");
      await ending.signOut([session], context);
      return {};
    }),

    route(calls.streamTicket, async ({ context }) => ({
      streamTicket: await signIn.issueStreamTicket(principalOf(context).sessionId),
    })),
  ];
}

/** Why the cookie's session ended; null if it is unknown or its user ended it. */
async function readEnd(
  { database, digests }: ServiceContext["platform"],
  cookie: string,
): Promise<string | null> {
  const presented = await hashPresented(digests, { cookie, bearer: null });
  const [session] = await findSessions(database, presented);
  return END_SENTENCES.get(session?.revoked_reason ?? null) ?? null;
}

function setCookie(context: RequestContext, value: string): void {
  context.responseHeaders.append("set-cookie", value);
}
