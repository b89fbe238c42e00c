import { afterEach, beforeEach, expect, test } from "vitest";
import { startTwitchStandIn, type TwitchStandIn } from "../server.ts";
import { clientId, clientSecret, postGql } from "../testing/twitch-client.ts";

let standIn: TwitchStandIn;
const nowMs = Date.parse("2026-11-20T12:00:00Z");

beforeEach(async () => {
  standIn = await startTwitchStandIn({ clientId, clientSecret, now: () => nowMs });
});
afterEach(async () => {
  await standIn.close();
});

function persisted(operationName: string, sha256Hash: string, variables: object): object {
  return { operationName, variables, extensions: { persistedQuery: { version: 1, sha256Hash } } };
}

const TOKEN_HASH = "ed230aa1e33e07eebb8928504583da78a5173989fadfb1ac94be06a04f3cdbe9";
const tokenVariables = {
  isLive: false,
  login: "",
  isVod: true,
  vodID: "2000001010",
  playerType: "site",
  platform: "web",
};

test("a field that Twitch does not have is an error with status 200", async () => {
  const response = await postGql(standIn, { query: '{video(id:"2000001010"){expiresAt}}' });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({
    errors: [{ message: 'Cannot query field "expiresAt" on type "Video".' }],
  });
});

test("a client that Twitch does not know is refused", async () => {
  const body = { query: '{video(id:"2000001010"){id}}' };
  const response = await postGql(standIn, body, { "client-id": "wrong" });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ message: 'The "Client-ID" header is invalid.' });
});

test.each(["login", "isLive", "vodID", "isVod", "playerType", "platform"])(
  "a playback token is not given without %s",
  async (name) => {
    const variables = { ...tokenVariables, [name]: undefined };
    const body = persisted("PlaybackAccessToken", TOKEN_HASH, variables);
    expect(await (await postGql(standIn, body)).json()).toMatchObject({
      errors: [{ message: expect.stringContaining(`Variable "$${name}"`) }],
    });
  },
);

test("a bad session is 401 although the same question without one is answered", async () => {
  const body = { query: '{video(id:"2000001010"){id}}' };
  expect((await postGql(standIn, body, { authorization: "OAuth bad" })).status).toBe(401);
  expect((await postGql(standIn, body)).status).toBe(200);
});

test.each([[[]], ["text"], [{ query: 5 }]])("%j is not an operation it answers", async (body) => {
  const response = await postGql(standIn, body);
  const reply = await response.text();
  expect(response.status === 400 || reply.includes("PersistedQueryNotFound")).toBe(true);
});
