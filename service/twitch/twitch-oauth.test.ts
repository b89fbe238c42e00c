import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { messagesOf, openTwitchWorld, type TwitchWorld } from "#service/testing/twitch-world.ts";
import { APPLICATION } from "#stand-ins/twitch/world.ts";
import type { Fault } from "#stand-ins/twitch/faults/fault.ts";
import { OauthError } from "./oauth-error.ts";
import { createTwitchOauth, type TwitchOauth, type TwitchTokens } from "./twitch-oauth.ts";

let world: TwitchWorld;
let oauth: TwitchOauth;

beforeEach(async () => {
  world = await openTwitchWorld();
  oauth = createTwitchOauth(world.platform, world.settings);
});

afterEach(async () => {
  await world.close();
});

/** Submits the consent page like a browser and returns the redirect. */
async function pressButton(fields: Record<string, string>): Promise<URL> {
  const authorizeUrl = new URL(oauth.authorizeUrl({ state: "state-1", nonce: "nonce-1" }));
  const response = await fetch(`${authorizeUrl.origin}${authorizeUrl.pathname}`, {
    method: "POST",
    body: new URLSearchParams([...authorizeUrl.searchParams, ...Object.entries(fields)]),
    redirect: "manual",
  });
  return new URL(response.headers.get("location") ?? "");
}

async function signIn(): Promise<TwitchTokens> {
  const back = await pressButton({ account: "1001" });
  const tokens = await oauth.exchangeCode(back.searchParams.get("code") ?? "");
  for (const token of [tokens.accessToken, tokens.refreshToken ?? ""])
    if (token !== "") world.secrets.add(token);
  return tokens;
}

async function refusalOf(work: Promise<unknown>): Promise<OauthError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof OauthError)) throw new Error("Not refused as expected", { cause: error });
  for (const secret of world.secrets) expect(messagesOf(error)).not.toContain(secret);
  return error;
}

function onKind(kind: "token" | "validate" | "revoke" | "helix", fault: Fault): void {
  world.standIn.control.addFault({ match: { kind }, fault, times: "forever" });
}

describe("signing in", () => {
  it("is denied when the user declines", async () => {
    const back = await pressButton({ deny: "1" });
    expect(back.searchParams.get("error")).toBe("access_denied");
    expect((await refusalOf(oauth.exchangeCode(""))).kind).toBe("denied");
  });

  it("fails as unavailable, not denied, for a wrong secret and names the setting", async () => {
    const wrong = createTwitchOauth(world.platform, {
      ...world.settings,
      TWITCH_CLIENT_SECRET: "wrong-secret-000",
    });
    const refusal = await refusalOf(wrong.exchangeCode("x"));
    expect(refusal.kind).toBe("unavailable");
    expect(refusal.message).toMatch(/TWITCH_CLIENT_SECRET\. Twitch said: invalid client secret\.$/);
    expect(messagesOf(refusal)).not.toContain("wrong-secret-000");
  });

  it("names the missing setting when no Twitch application is configured", () => {
    const none = createTwitchOauth(world.platform, {
      ...world.settings,
      TWITCH_CLIENT_ID: undefined,
    });
    expect(() => none.authorizeUrl({ state: "s", nonce: "n" })).toThrow("TWITCH_CLIENT_ID");
  });

  it("never sends the secret in a URL", async () => {
    await signIn();
    expect(world.requests.join("\n")).not.toContain(APPLICATION.clientSecret);
  });
});

describe("refreshing", () => {
  it("returns the new refresh token when Twitch rotates it", async () => {
    world.standIn.control.setRefreshRotation(true);
    const tokens = await signIn();
    const renewed = await oauth.refreshTokens(tokens.refreshToken ?? "");
    expect(renewed.accessToken).not.toBe(tokens.accessToken);
    expect(renewed.refreshToken).not.toBe(tokens.refreshToken);
    expect((await refusalOf(oauth.refreshTokens(tokens.refreshToken ?? ""))).kind).toBe("denied");
  });

  it("keeps the refresh token when Twitch does not rotate it", async () => {
    world.standIn.control.setRefreshRotation(false);
    const tokens = await signIn();
    const renewed = await oauth.refreshTokens(tokens.refreshToken ?? "");
    expect(renewed.refreshToken).toBe(tokens.refreshToken);
  });

  it("keeps the refresh token when Twitch's response has none", async () => {
    const tokens = await signIn();
    onKind("token", { type: "replace", pattern: '"refresh_token":"[^"]*",', replacement: "" });
    const renewed = await oauth.refreshTokens(tokens.refreshToken ?? "");
    expect(renewed.refreshToken).toBe(tokens.refreshToken);
  });

  it.each([400, 401] as const)("is denied when Twitch returns %i", async (status) => {
    world.standIn.control.change({ deadRefreshStatus: status });
    expect((await refusalOf(oauth.refreshTokens("dead"))).kind).toBe("denied");
  });

  it.each<[string, Fault]>([
    ["500", { type: "status", status: 500 }],
    ["429", { type: "status", status: 429 }],
    ["a web page", { type: "html" }],
    ["an empty response", { type: "empty" }],
    ["a broken connection", { type: "reset" }],
    ["a redirect", { type: "redirect", location: "https://evil.example/" }],
  ])("fails as unavailable, not denied, for %s", async (_what, fault) => {
    const tokens = await signIn();
    onKind("token", fault);
    const refusal = await refusalOf(oauth.refreshTokens(tokens.refreshToken ?? ""));
    expect(refusal.kind).toBe("unavailable");
  });
});

describe("validating", () => {
  it("returns the owner of a live token", async () => {
    const { accessToken } = await signIn();
    expect(await oauth.validateToken(accessToken)).toEqual({
      isLive: true,
      userId: "1001",
    });
  });

  it("detects that the user disconnected the application", async () => {
    const { accessToken } = await signIn();
    world.standIn.control.disconnect("1001");
    expect(await oauth.validateToken(accessToken)).toEqual({ isLive: false });
    expect((await refusalOf(oauth.readTokenOwner(accessToken))).kind).toBe("denied");
  });

  it.each([
    ["another application's token", '"client_id":"other","user_id":"1001","scopes":[]'],
    ["an application token", '"client_id":"stand-in-client","user_id":null,"scopes":null'],
  ])("does not accept %s as a user token of this application", async (_what, fields) => {
    onKind("validate", { type: "body", body: `{${fields},"expires_in":10}` });
    expect(await oauth.validateToken("t")).toEqual({ isLive: false });
  });

  it.each<[string, Fault]>([
    ["500", { type: "status", status: 500 }],
    ["503", { type: "status", status: 503 }],
    ["a web page", { type: "html" }],
    ["a broken connection", { type: "reset" }],
  ])("fails as unavailable instead of reporting an invalid token for %s", async (_what, fault) => {
    const { accessToken } = await signIn();
    onKind("validate", fault);
    expect((await refusalOf(oauth.validateToken(accessToken))).kind).toBe("unavailable");
  });
});

describe("signing out", () => {
  it("revokes the token at Twitch, and can be repeated", async () => {
    const { accessToken } = await signIn();
    await oauth.revokeToken(accessToken);
    await oauth.revokeToken(accessToken);
    expect(await oauth.validateToken(accessToken)).toEqual({ isLive: false });
  });

  it("fails as unavailable when Twitch returns an error", async () => {
    onKind("revoke", { type: "status", status: 502 });
    expect((await refusalOf(oauth.revokeToken("t"))).kind).toBe("unavailable");
  });
});
