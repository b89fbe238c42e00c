import { afterAll, beforeAll, expect, test } from "vitest";
import * as auth from "#contract/auth.ts";
import { ADMIN, startTestService, type TestService } from "#service/testing/test-service.ts";

let vodkeep: TestService;
beforeAll(async () => {
  vodkeep = await startTestService();
});
afterAll(() => vodkeep.close());

test("an administrator signs in and is known by bearer and by cookie", async () => {
  const client = await vodkeep.signIn(ADMIN);
  for (const one of [client, client.bearerOnly(), client.cookieOnly()]) {
    const { valid, admin } = await one.expect(auth.validate);
    expect(valid).toBe(true);
    expect(admin).toMatchObject({ twitchId: ADMIN, isAdmin: true });
  }
});
