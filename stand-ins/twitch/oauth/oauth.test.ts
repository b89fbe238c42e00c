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

test("refreshing hands out a new refresh token and the old one is dead", async () => {
  const { refreshToken } = await signIn(standIn, "1002");
  const fields = { grant_type: "refresh_token", refresh_token: refreshToken };
  const first = await postToken(standIn, fields);
  expect(first.status).toBe(200);
  expect(first.body["refresh_token"]).not.toBe(refreshToken);
  expect((await postToken(standIn, fields)).status).toBe(400);
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
