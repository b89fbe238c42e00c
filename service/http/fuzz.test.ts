import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { host } from "#host-under-test";
import { logout } from "#contract/auth.ts";
import { errorBodySchema } from "#contract/errors.ts";
import { CALLS } from "#contract/registry.ts";
import { addressOf } from "#service/testing/call-address.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { ADMIN, startTestService, type TestService } from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";

let vodkeep: TestService;
let admin: TestClient;
beforeAll(async () => {
  vodkeep = await startTestService();
  admin = await vodkeep.signIn(ADMIN);
  for (const [index, title] of NAUGHTY.entries())
    await seedUpload(vodkeep.platform.database, { id: `naughty${index}`, title, filename: title });
});
afterAll(() => vodkeep.close());

const NAUGHTY = [
  "",
  " ",
  "undefined",
  "null",
  "true",
  "NaN",
  "-1",
  "0x10",
  "1e309",
  "9007199254740993",
  "١٢٣",
  "%",
  "_",
  "%00",
  "\\",
  "'",
  '"',
  "--",
  "*",
  "NEAR(",
  "a AND b",
  "a* OR b",
  '"unbalanced',
  "'; DROP TABLE uploads; --",
  "<script>alert(1)</script>",
  "{{7*7}}",
  "${jndi:ldap://x}",
  "../../etc/passwd",
  "\u202Egnp.exe",
  "\u200b",
  "e\u0301",
  "\ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67".repeat(12),
  "\uFEFF",
  "\n\r\t",
  "x".repeat(200),
  "constructor",
  "__proto__",
  "toString",
];

const text = fc.oneof(fc.constantFrom(...NAUGHTY), fc.string({ unit: "binary", maxLength: 60 }));

const PARAMETERS =
  "page limit status search userId sortBy sortOrder failureClass isAdmin isBanned level before days offset uploadType download token live action actorId result format".split(
    " ",
  );
const FIELDS =
  "ids source rightsConfirmed again permissions version reason preferences notificationIds telegramUserId monthlyUsd threshold alertsEnabled pauseWhenSpent code state type vodId url enabledEvents email".split(
    " ",
  );

const query = fc.dictionary(fc.constantFrom(...PARAMETERS), text, { maxKeys: 4 });
const body = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...FIELDS), tie("value"), { maxKeys: 4 }),
  ),
})).value;

const requests = fc.record({
  call: fc.constantFrom(...CALLS.filter((call) => call !== logout)),
  id: fc.option(text, { nil: "naughty1" }),
  query: fc.option(query, { nil: {} }),
  body: fc.option(body, { nil: undefined }),
});

test("whatever is asked, the answer is a success or a refusal in the one form", async () => {
  await fc.assert(
    fc.asyncProperty(requests, async ({ call, id, query: parameters, body: sent }) => {
      const path = addressOf(call, { id: encode(id), key: encode(id), type: encode(id) });
      const search = new URLSearchParams(parameters).toString();
      const response = await admin.send(
        call.method,
        `${path}?${search}`,
        call.method === "GET" || sent === undefined ? {} : { body: sent },
      );
      // 502 and 503 are valid answers here, because no bot is configured.
      expect(response.status === 500 ? await response.text() : "").toBe("");
      expect(await isInForm(response)).toBe(true);
    }),
    { numRuns: host.runsOf(1_500) },
  );
});

function encode(id: string): string {
  return encodeURIComponent(id.toWellFormed()) || "x";
}

async function isInForm(response: Response): Promise<boolean> {
  if (response.status < 400) {
    await response.body?.cancel();
    return true;
  }
  return errorBodySchema.safeParse(JSON.parse(await response.text())).success;
}
