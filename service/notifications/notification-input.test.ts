import { afterAll, expect, test } from "vitest";
import * as notifications from "#contract/notifications.ts";
import { sql } from "#service/db/sql.ts";
import { countRows } from "#service/testing/count-rows.ts";
import { openMessageWorld } from "#service/testing/message-world.ts";
import { ADMIN } from "#service/testing/test-service.ts";

// Nothing here changes any state, so all tests share one service.
const world = await openMessageWorld();
const admin = await world.signIn(ADMIN);

afterAll(() => world.close());

function auditCount(): Promise<number> {
  return countRows(world.platform.database, sql`audit WHERE action LIKE 'notification.%'`);
}

test.each([
  ["not an object", null],
  ["an unknown event", { enabledEvents: { unknown_event: ["browser"] } }],
  ["an unknown channel", { enabledEvents: { upload_failed: ["pigeon"] } }],
  ["a duplicate channel", { enabledEvents: { upload_failed: ["browser", "browser"] } }],
  ["a non-numeric id", { telegramUserId: "dana", enabledEvents: {} }],
  ["a fractional id", { telegramUserId: "1.5", enabledEvents: {} }],
  ["a group's id", { telegramUserId: "-5", enabledEvents: {} }],
  ["an id of thirty digits", { telegramUserId: "9".repeat(30), enabledEvents: {} }],
  ["an id beyond 52 bits", { telegramUserId: "9007199254740993", enabledEvents: {} }],
  [
    "an id that is a number instead of a string",
    { telegramUserId: 7_000_000_001, enabledEvents: {} },
  ],
  ["a username with markup", { telegramUsername: "<b>", enabledEvents: {} }],
  ["a username of 33 characters", { telegramUsername: "a".repeat(33), enabledEvents: {} }],
  ["an email without @", { email: "dana.example.org", enabledEvents: {} }],
  ["an email with a line break", { email: "dana@example.org\r\nBcc: x@y.z", enabledEvents: {} }],
  ["an overlong email", { email: `${"a".repeat(250)}@example.org`, enabledEvents: {} }],
  ["an email with a non-ASCII domain", { email: "dana@exämple.org", enabledEvents: {} }],
  ["an email with a quoted local part", { email: '"da na"@example.org', enabledEvents: {} }],
  [
    "a thousand events",
    { enabledEvents: Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`e${n}`, []])) },
  ],
  ["an unknown field", { enabledEvents: {}, phone: "1" }],
  ["no events", { email: "dana@example.org" }],
])("rejects invalid preferences without changing anything: %s", async (_name, preferences) => {
  const before = await admin.expect(notifications.getPreferences);
  const refusal = await admin.call("PUT", notifications.setPreferences.path, {
    body: { preferences },
  });
  expect(refusal.error?.code).toBe("invalid_request");
  expect(await admin.expect(notifications.getPreferences)).toEqual(before);
  expect(await auditCount()).toBe(0);
});

test.each(["%2e%2e", "constructor", "UPLOAD_FAILED", "upload_failed%20", "x".repeat(300)])(
  "rejects a test notification for the unknown event %s",
  async (type) => {
    const { status } = await admin.call("POST", `/admin/notifications/test/${type}`);
    expect([400, 404]).toContain(status);
    expect(await auditCount()).toBe(0);
  },
);

test.each(["", " ", "abc", "0", "-5", "9223372036854775808", 7_000_000_001, undefined])(
  "rejects the Telegram id %j and sends nothing",
  async (id) => {
    const { path } = notifications.testTelegram;
    const refusal = await admin.call("POST", path, { body: { telegramUserId: id } });
    expect(refusal.status).toBe(400);
    expect(world.telegram.ledger).toHaveLength(0);
  },
);
