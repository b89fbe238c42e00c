import * as calls from "#contract/auth.ts";
import {
  beginDeviceSignIn,
  finishDeviceSignIn,
  twitchReturnsTo,
  type DeviceSignIn,
} from "#contract/device-sign-in.ts";
import { endSession, listSessions } from "#contract/sessions.ts";
import type { ServiceContext } from "#service/context.ts";
import { ApiError } from "#service/api-error.ts";
import { principalOf, route, type RequestContext, type Route } from "#service/http/route.ts";
import type { TwitchOauth } from "#service/twitch/twitch-oauth.ts";
import { hashPresented, type SessionAuthenticator } from "./authenticator.ts";
import type { DeviceSignIns } from "./device-sign-ins.ts";
import { DEVICE_STATE_LIFE_MS, LOGIN_STATE_LIFE_MS, type LoginStates } from "./login-state.ts";
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
  readonly deviceSignIns: DeviceSignIns;
  readonly signIn: SignIn;
  readonly ending: SessionEnding;
  readonly twitch: TwitchOauth;
};

/** Each sets the browser's cookie, to which the sign-in is bound. */
export type SignInStarts = {
  /** Returns the address of Twitch's consent page. */
  byRedirect(
    context: RequestContext,
  ): Promise<{ readonly authUrl: string; readonly state: string }>;
  byDevice(context: RequestContext): Promise<DeviceSignIn>;
};

export function createSignInStarts(
  { platform }: Pick<ServiceContext, "platform">,
  {
    cookies,
    loginStates,
    deviceSignIns,
    twitch,
  }: Pick<AuthFeatures, "cookies" | "loginStates" | "deviceSignIns" | "twitch">,
): SignInStarts {
  const { clock, random, digests } = platform;

  function keepBrowser(context: RequestContext, lifeMs: number): string {
    const known = cookies.login.read(context.request);
    // Two tabs that sign in at once share the browser's cookie, so both can finish.
    const browser = known !== null && isToken(known) ? known : newToken(random);
    setCookie(context, cookies.login.write(browser, lifeMs / 1_000));
    return browser;
  }

  return {
    async byRedirect(context) {
      const browser = keepBrowser(context, LOGIN_STATE_LIFE_MS);
      const state = await loginStates.issue(browser, clock.now());
      const nonce = await nonceOf(digests, state, browser);
      return { authUrl: twitch.authorizeUrl({ state, nonce }), state };
    },
    byDevice: (context) =>
      deviceSignIns.begin(keepBrowser(context, DEVICE_STATE_LIFE_MS), clock.now()),
  };
}

export function authRoutes(
  service: ServiceContext,
  features: AuthFeatures,
  starts: SignInStarts,
): Route[] {
  const { platform, settings } = service;
  const { authenticator, cookies, signIn, ending } = features;
  const { database, clock, digests } = platform;

  /** What a sign-in ends with, whichever way it went. */
  async function endOf(context: RequestContext) {
    return {
      browser: cookies.login.read(context.request),
      opening: {
        replaces: await authenticator.liveSession(context.request),
        client: readSessionClient(context.request, context.clientAddress),
        requestId: context.requestId,
      },
    };
  }

  function keepSession(context: RequestContext, cookie: string): void {
    setCookie(context, cookies.session.write(cookie, ABSOLUTE_LIFE_MS / 1_000));
  }

  return [
    route(calls.login, async ({ context }) => {
      const { authUrl } = await starts.byRedirect(context);
      return { authUrl };
    }),

    route(calls.callback, async ({ body, context }) => {
      const { cookie, grant } = await signIn.finish({ ...body, ...(await endOf(context)) });
      keepSession(context, cookie);
      return grant;
    }),

    route(beginDeviceSignIn, async ({ context }) => {
      // Who is sent a code can be talked into confirming it. A return to an address of ours cannot be passed on.
      if (twitchReturnsTo(settings.CONSOLE_URL[0]) === "yes")
        throw new ApiError(
          "not_found",
          "Twitch returns sign-ins to this address: no code is needed.",
        );
      return await starts.byDevice(context);
    }),

    route(finishDeviceSignIn, async ({ body, context }) => {
      const ended = await signIn.finishByDevice({ ...body, ...(await endOf(context)) });
      if (typeof ended === "string") return { grant: null, isTooFast: ended === "slow_down" };
      keepSession(context, ended.cookie);
      return { grant: ended.grant, isTooFast: false };
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
