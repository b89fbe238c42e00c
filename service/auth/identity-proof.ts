import type { ServiceContext } from "#service/context.ts";
import { ApiError } from "#service/api-error.ts";
import { OauthError } from "#service/twitch/oauth-error.ts";
import type { DeviceWait, TwitchOauth, TwitchTokens } from "#service/twitch/twitch-oauth.ts";
import type { TwitchUser } from "#service/twitch/twitch-api.ts";
import type { DeviceSignIns } from "./device-sign-ins.ts";
import { nonceOf, readIdentityToken } from "./identity-token.ts";
import { spendLoginState, type LoginStates } from "./login-state.ts";

/** What Twitch sent the browser back with; `browser` is what its cookie of the sign-in says. */
export type Redirect = {
  readonly code: string;
  readonly state: string;
  readonly browser: string | null;
};

/** Who signs in, and the tokens that Twitch issued for it. */
export type ProvedIdentity = { readonly user: TwitchUser; readonly tokens: TwitchTokens };

/** Both throw {@link ApiError} invalid_request and upstream_error, and work once for each state. */
export type IdentityProof = {
  byRedirect(redirect: Redirect): Promise<ProvedIdentity>;
  /** As often as Twitch says, until it is no longer one of its waits. */
  byDevice(state: string, browser: string | null): Promise<ProvedIdentity | DeviceWait>;
};

/** Tolerates a fast clock: a token of Twitch lives a quarter of an hour. */
const CLOCK_LEEWAY_MS = 5 * 60_000;

/**
 * The code that Twitch gave is exchanged for tokens issued for this sign-in (its nonce), their owner is
 * read, and the state is marked as used.
 */
export function createIdentityProof(
  { platform, settings }: Pick<ServiceContext, "platform" | "settings">,
  twitch: TwitchOauth,
  loginStates: LoginStates,
  deviceSignIns: DeviceSignIns,
): IdentityProof {
  const { database, clock, digests } = platform;

  /** Returns the nonce that the identity token must carry. */
  async function requireOwnState(state: string, browser: string | null): Promise<string> {
    if (browser === null || !(await loginStates.isValid(state, browser, clock.now())))
      throw notThisSignIn();
    return await nonceOf(digests, state, browser);
  }

  /** A state works once, even if its consent page issued two codes. */
  async function requireUnused(state: string): Promise<void> {
    const spend = await spendLoginState(digests, state, clock.now());
    const { changes } = await database.run(spend, { isEssential: true });
    if (changes === 0) throw notThisSignIn();
  }

  async function readOwner(tokens: TwitchTokens, nonce: string): Promise<TwitchUser> {
    const identity = readIdentityToken(tokens.identityToken ?? "", {
      issuer: `${settings.TWITCH_ID_URL}/oauth2`,
      clientId: settings.TWITCH_CLIENT_ID ?? "",
    });
    if (identity === null) throw untrusted();
    requireRightClock(identity.expiresAtMs, clock.now());
    if (identity.nonce !== nonce) throw notThisSignIn();
    const user = await twitch.readTokenOwner(tokens.accessToken);
    if (user.id !== identity.userId) throw untrusted();
    return user;
  }

  /** Device codes bring no identity token, so that the access token has to say whose it is. */
  async function readDeviceOwner({ accessToken }: TwitchTokens): Promise<TwitchUser> {
    const standing = await twitch.validateToken(accessToken);
    const user = await twitch.readTokenOwner(accessToken);
    if (!standing.isLive || standing.userId !== user.id) throw untrusted();
    return user;
  }

  return {
    async byRedirect({ code, state, browser }) {
      const nonce = await requireOwnState(state, browser);
      const tokens = await twitch.exchangeCode(code);
      const user = await readOwner(tokens, nonce);
      await requireUnused(state);
      return { user, tokens };
    },

    async byDevice(state, browser) {
      const deviceCode =
        browser === null ? null : await deviceSignIns.open(state, browser, clock.now());
      if (deviceCode === null) throw notThisSignIn();
      const tokens = await twitch.exchangeDeviceCode(deviceCode).catch(refuseDenied);
      if (typeof tokens === "string") return tokens;
      const user = await readDeviceOwner(tokens);
      await requireUnused(state);
      return { user, tokens };
    },
  };
}

function notThisSignIn(): ApiError {
  return new ApiError("invalid_request", "This sign-in has expired. Please sign in again.");
}

/** Unlike trouble at Twitch, a refused code stays refused. */
function refuseDenied(error: unknown): never {
  if (!(error instanceof OauthError) || error.kind !== "denied") throw error;
  const sentence = "Twitch refused this code: it was denied, used, or has expired. Get a new one.";
  throw new ApiError("invalid_request", sentence, { cause: error });
}

/** A token comes straight from Twitch, so that only a fast clock sees an expired one. */
function requireRightClock(expiresAtMs: number, nowMs: number): void {
  if (nowMs < expiresAtMs + CLOCK_LEEWAY_MS) return;
  const [now, end] = [nowMs, expiresAtMs].map((atMs) => new Date(atMs).toUTCString());
  throw new OauthError(
    "denied",
    `The clock of this server is wrong: it says ${now}, but Twitch's answer is valid until ${end}. ` +
      "Correct the clock, then sign in again.",
  );
}

function untrusted(): OauthError {
  return new OauthError("denied", "Twitch's answer does not say who signed in. Sign in again.");
}
