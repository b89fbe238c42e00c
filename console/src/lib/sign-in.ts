import { callback, login, type Admin } from "#contract/auth.ts";
import { withdrawBySignIn } from "#contract/consent.ts";
import { request } from "./api-request.ts";
import { siteStore, tabStore } from "./browser-storage.ts";
import { storeGrant } from "./session-store.ts";
import { STAND_IN_KEY } from "./session.ts";

/** The state of the sign-in that this tab started. */
const STATE_KEY = "sign_in_state";

/** A sign-in leaves the console and comes back, which takes a cookie and a note in this tab. */
class StorageBlocked extends Error {
  override readonly message =
    "This browser does not let this site keep cookies and site data, which a sign-in needs. Allow them for this address, then try again.";
}

/**
 * The address of Twitch's consent page, from `begin`. Throws if it is not an allowed sign-in address.
 * @throws {StorageBlocked}
 */
export async function signInAddress(
  begin: () => Promise<{ readonly authUrl: string }> = () => request(login, {}, null),
): Promise<string> {
  const { authUrl } = await begin();
  if (!isSignInAddress(authUrl)) throw new Error("The sign-in address is not Twitch's");
  const url = new URL(authUrl);
  siteStore.setItem(STAND_IN_KEY, String(isLoopback(url)));
  tabStore.setItem(STATE_KEY, url.searchParams.get("state") ?? "");
  if (!tabStore.isKept(STATE_KEY)) throw new StorageBlocked();
  return authUrl;
}

export function describeSignInError(error: unknown): string {
  return error instanceof StorageBlocked
    ? error.message
    : "Failed to initiate login. Please try again.";
}

/** Twitch itself, or its stand-in on this machine. */
export function isSignInAddress(address: string, host = "id.twitch.tv"): boolean {
  const url = URL.parse(address);
  if (url === null) return false;
  if (url.protocol === "https:" && url.host === host) return true;
  return isLoopback(url);
}

function isLoopback(url: URL): boolean {
  return (
    (url.protocol === "http:" || url.protocol === "https:") &&
    ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname)
  );
}

const exchanges = new Map<string, Promise<Admin>>();

/**
 * Exchanges the code for a session; calls with the same code share one request. Rejects a sign-in
 * that another tab or site started, whatever cookies the browser holds (docs/security.md#sign-in).
 */
export function exchangeCode(code: string, state: string): Promise<Admin> {
  const running = exchanges.get(code);
  if (running !== undefined) return running;
  const exchange = exchangeOwnCode(code, state);
  exchanges.set(code, exchange);
  return exchange;
}

function requireOwnState(state: string): void {
  const begun = tabStore.getItem(STATE_KEY);
  tabStore.removeItem(STATE_KEY);
  if (begun !== state) throw new Error("That sign-in was not started in this tab");
}

/** Exchanges the code for the withdrawal of its account's consent, instead of a session. */
export async function withdrawWithCode(code: string, state: string): Promise<void> {
  requireOwnState(state);
  await request(withdrawBySignIn, { body: { code, state } }, null);
}

async function exchangeOwnCode(code: string, state: string): Promise<Admin> {
  requireOwnState(state);
  const grant = await request(callback, { body: { code, state } }, null);
  storeGrant(grant);
  return grant.admin;
}
