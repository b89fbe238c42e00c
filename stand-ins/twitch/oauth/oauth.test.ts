import { createPublicKey, verify } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTwitchStandIn, type TwitchStandIn } from "../server.ts";
import {
  authorizeFields,
  clientId,
  clientSecret,
  getHelix,
  postToken,
  pressButton,
  readJsonObject,
  redirectUri,
  signIn,
} from "../testing/twitch-client.ts";

let standIn: TwitchStandIn;
let nowMs = Date.parse("2026-11-20T12:00:00Z");

beforeEach(async () => {
  standIn = await startTwitchStandIn({ clientId, clientSecret, now: () => nowMs });
});
afterEach(async () => {
  await standIn.close();
});

async function validate(header: string | null): Promise<{ status: number; body: object }> {
  const response = await fetch(`${standIn.idUrl}/oauth2/validate`, {
    headers: header === null ? {} : { authorization: header },
  });
  return { status: response.status, body: await readJsonObject(response) };
}

test("the sign-in page offers every account and says what it is", async () => {
  const response = await fetch(`${standIn.idUrl}/oauth2/authorize?${authorizeFields()}`);
  const page = await response.text();
  expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(page).toContain("Twitch stand-in, not twitch.tv");
  for (const id of ["1001", "1002", "1003", "1004", "1005", "1006"]) {
    expect(page).toContain(`name="account" value="${id}"`);
  }
  expect(page).toContain('name="deny"');
  expect(page).toContain('name="state" value="state-1"');
  expect(page).not.toContain("<img src=x");
});

test("choosing an account leads back with a code, the scope and the state", async () => {
  const back = await pressButton(standIn, { account: "1001" });
  expect(back.origin + back.pathname).toBe(redirectUri);
  expect(back.searchParams.get("state")).toBe("state-1");
  expect(back.searchParams.get("scope")).toBe("user:read:email");
  expect(back.searchParams.get("code")).toMatch(/^[a-z0-9]{30}$/);
});

test("denying leads back with access_denied", async () => {
  const back = await pressButton(standIn, { deny: "1" });
  expect(Object.fromEntries(back.searchParams)).toEqual({
    error: "access_denied",
    error_description: "The user denied you access",
    state: "state-1",
  });
});

test("a redirect that is not on this machine is refused without going there", async () => {
  const fields = authorizeFields({ redirect_uri: "https://evil.example/auth/callback" });
  const response = await fetch(`${standIn.idUrl}/oauth2/authorize?${fields}`, {
    redirect: "manual",
  });
  expect(response.status).toBe(400);
});

test("with registered redirects, another one leads to the first with an error", async () => {
  const strict = await startTwitchStandIn({ clientId, clientSecret, redirectUris: [redirectUri] });
  const fields = authorizeFields({ redirect_uri: "http://localhost:1/other" });
  const response = await fetch(`${strict.idUrl}/oauth2/authorize?${fields}`, {
    redirect: "manual",
  });
  const location = new URL(response.headers.get("location") ?? "");
  await strict.close();
  expect(location.origin + location.pathname).toBe(redirectUri);
  expect(location.searchParams.get("error")).toBe("redirect_mismatch");
});

test("a code is good for one exchange and no second", async () => {
  const back = await pressButton(standIn, { account: "1002" });
  const fields = {
    grant_type: "authorization_code",
    code: back.searchParams.get("code") ?? "",
    redirect_uri: redirectUri,
  };
  const first = await postToken(standIn, fields);
  expect(first.status).toBe(200);
  expect(first.body).toMatchObject({ token_type: "bearer", scope: ["user:read:email"] });
  const second = await postToken(standIn, fields);
  expect(second).toEqual({
    status: 400,
    body: { status: 400, message: "Invalid authorization code" },
  });
});

test.each([
  ["an unknown client", { client_id: "nobody" }, 400, "invalid client"],
  ["a wrong secret", { client_secret: "wrong" }, 403, "invalid client secret"],
  ["a made-up code", { code: "made-up" }, 400, "Invalid authorization code"],
  [
    "another redirect",
    { redirect_uri: "http://localhost:8787/other" },
    400,
    "Parameter redirect_uri does not match registeredURI",
  ],
  ["no refresh token", { grant_type: "refresh_token" }, 400, "missing refresh token"],
  [
    "a dead refresh token",
    { grant_type: "refresh_token", refresh_token: "dead" },
    400,
    "Invalid refresh token",
  ],
])("the token endpoint refuses %s", async (_what, fields, status, message) => {
  const back = await pressButton(standIn, { account: "1002" });
  const answer = await postToken(standIn, {
    grant_type: "authorization_code",
    code: back.searchParams.get("code") ?? "",
    redirect_uri: redirectUri,
    ...fields,
  });
  expect(answer).toEqual({ status, body: { status, message } });
});

test("the token endpoint reads the query string as well as the body", async () => {
  const query = new URLSearchParams({
    client_id: clientId,
    client_secret: clientSecret,
    grant_type: "client_credentials",
  });
  const response = await fetch(`${standIn.idUrl}/oauth2/token?${query}`, { method: "POST" });
  expect(response.status).toBe(200);
  const body = await readJsonObject(response);
  expect(body).not.toHaveProperty("refresh_token");
});

test("refreshing hands out a new refresh token and the old one is dead", async () => {
  const { refreshToken } = await signIn(standIn, "1002");
  const fields = { grant_type: "refresh_token", refresh_token: refreshToken };
  const first = await postToken(standIn, fields);
  expect(first.status).toBe(200);
  expect(first.body["refresh_token"]).not.toBe(refreshToken);
  expect((await postToken(standIn, fields)).status).toBe(400);
});

test("without rotation a refresh token stays good", async () => {
  standIn.control.setRefreshRotation(false);
  const { refreshToken } = await signIn(standIn, "1002");
  const fields = { grant_type: "refresh_token", refresh_token: refreshToken };
  expect((await postToken(standIn, fields)).body["refresh_token"]).toBe(refreshToken);
  expect((await postToken(standIn, fields)).status).toBe(200);
});

test("validate names the user, and nobody for an app token", async () => {
  const { accessToken } = await signIn(standIn, "1001");
  expect(await validate(`OAuth ${accessToken}`)).toEqual({
    status: 200,
    body: {
      client_id: clientId,
      login: "avery_admin",
      user_id: "1001",
      scopes: ["user:read:email"],
      expires_in: 14_124,
    },
  });
  expect((await validate(null)).body).toEqual({
    status: 401,
    message: "missing authorization token",
  });
  expect((await validate("OAuth nonsense")).body).toEqual({
    status: 401,
    message: "invalid access token",
  });
});

test("a user who disconnects the app ends every token at once", async () => {
  const { accessToken, refreshToken } = await signIn(standIn, "1003");
  const other = await signIn(standIn, "1001");
  expect(standIn.control.disconnect("1003")).toBe(2);
  expect((await validate(`OAuth ${accessToken}`)).status).toBe(401);
  expect((await getHelix(standIn, "/users", accessToken)).status).toBe(401);
  const refreshed = await postToken(standIn, {
    grant_type: "refresh_token",
    refresh_token: refreshToken,
  });
  expect(refreshed.status).toBe(400);
  expect((await validate(`OAuth ${other.accessToken}`)).status).toBe(200);
});

test("tokens run out by the clock, and a refresh brings a new one", async () => {
  const { accessToken, refreshToken } = await signIn(standIn, "1001");
  nowMs += 14_125_000;
  expect((await validate(`OAuth ${accessToken}`)).status).toBe(401);
  const refreshed = await postToken(standIn, {
    grant_type: "refresh_token",
    refresh_token: refreshToken,
  });
  expect((await validate(`Bearer ${String(refreshed.body["access_token"])}`)).status).toBe(200);
});

test("a revoked token is dead, and revoking nothing is an error", async () => {
  const { accessToken } = await signIn(standIn, "1001");
  const revoke = async (token: string): Promise<Response> =>
    fetch(`${standIn.idUrl}/oauth2/revoke`, {
      method: "POST",
      body: new URLSearchParams({ client_id: clientId, token }),
    });
  expect((await revoke(accessToken)).status).toBe(200);
  expect((await validate(`OAuth ${accessToken}`)).status).toBe(401);
  expect(await (await revoke(accessToken)).json()).toEqual({
    status: 400,
    message: "Invalid token",
  });
});

test("with openid the id_token is signed by the published key and repeats the nonce", async () => {
  const { body } = await signIn(standIn, "1001", "openid");
  const [head = "", claims = "", signature = ""] = String(body["id_token"]).split(".");
  const discovery = await readJsonObject(
    await fetch(`${standIn.idUrl}/oauth2/.well-known/openid-configuration`),
  );
  const jwks: { keys: [Record<string, string>] } = JSON.parse(
    await (await fetch(String(discovery["jwks_uri"]))).text(),
  );
  const key = createPublicKey({ key: { ...jwks.keys[0] }, format: "jwk" });
  const isSigned = verify(
    "sha256",
    Buffer.from(`${head}.${claims}`),
    key,
    Buffer.from(signature, "base64url"),
  );
  expect(isSigned).toBe(true);
  expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toMatchObject({
    iss: `${standIn.idUrl}/oauth2`,
    aud: clientId,
    sub: "1001",
    nonce: "nonce-1",
  });
});
