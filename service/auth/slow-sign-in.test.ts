import { afterAll, expect, test } from "vitest";
import * as auth from "#contract/auth.ts";
import { sql } from "#service/db/sql.ts";
import { type TestAnswer, type TestClient, chooseAccount } from "#service/testing/test-client.ts";
import { startTestService } from "#service/testing/test-service.ts";
import type { Fault } from "#stand-ins/twitch/faults/fault.ts";

const vodkeep = await startTestService();
afterAll(() => vodkeep.close());

/** Longer than any test may take, so that a request waiting for its end fails the test. */
const FOR_EVER_MS = 10 * 60_000;

const SLOWNESS: readonly (readonly [path: string, fault: Fault])[] = [
  ["^/oauth2/token", { type: "delay", ms: FOR_EVER_MS }],
  ["^/oauth2/token", { type: "slow", bytesPerSecond: 1 }],
  ["^/helix/users", { type: "delay", ms: FOR_EVER_MS }],
  ["^/helix/users", { type: "slow", bytesPerSecond: 1 }],
];

type SignIn = {
  readonly browser: TestClient;
  readonly accountId: string;
  readonly back: { readonly code: string; readonly state: string };
};

async function begin(browser: TestClient, accountId: string): Promise<SignIn> {
  const { authUrl } = await browser.expect(auth.login);
  await vodkeep.twitch.keepTime();
  return { browser, accountId, back: await chooseAccount(authUrl, accountId) };
}

function finish({ browser, back }: SignIn): Promise<TestAnswer> {
  return browser.call("POST", auth.callback.path, { body: back });
}

async function traces(): Promise<unknown> {
  return await vodkeep.platform.database.all(sql`
    SELECT (SELECT count(*) FROM sessions) AS sessions, (SELECT count(*) FROM users) AS users,
      (SELECT count(*) FROM single_uses) AS states,
      (SELECT count(*) FROM audit WHERE action LIKE 'session.%') AS entries`);
}

test("a sign-in times out if Twitch is slow, leaves no rows, and the next one works", async () => {
  const { control } = vodkeep.twitch;
  const before = await traces();
  const signIns: SignIn[] = [];
  for (const [path, fault] of SLOWNESS) {
    signIns.push(await begin(vodkeep.visitor(), (await control.addAccount()).id));
    await control.addFault({ match: { path }, fault });
  }

  // No session starts, whether the token exchange or reading the token's owner is slow.
  const answers = await Promise.all(signIns.map(finish));
  for (const answer of answers) {
    expect(answer.error?.code).toBe("upstream_error");
    expect(answer.headers.getSetCookie()).toEqual([]);
  }
  for (const asked of ["sign-in", "API"]) {
    const sentence = `Twitch's ${asked} did not respond within 4 s.`;
    expect(answers.filter(({ error }) => error?.message === sentence)).toHaveLength(2);
  }
  expect(await traces()).toEqual(before);

  for (const signIn of signIns) {
    expect(vodkeep.log()).not.toContain(signIn.back.code);
    // Twitch accepts each code once, whatever the outcome.
    expect((await finish(signIn)).error?.code).toBe("upstream_error");
    const again = await begin(signIn.browser, signIn.accountId);
    expect((await finish(again)).status).toBe(200);
    expect((await signIn.browser.cookieOnly().expect(auth.validate)).admin).toMatchObject({
      twitchId: signIn.accountId,
    });
  }
});
