import { afterEach, beforeEach, expect, test } from "vitest";
import { browserNotifications, markNotificationsRead } from "#contract/browser-notifications.ts";
import { EVENT_TYPES } from "#contract/notification-events.ts";
import * as notifications from "#contract/notifications.ts";
import { systemSetup } from "#contract/system.ts";
import { onUnread, type UnreadChange } from "./unread-events.ts";
import { sql } from "#service/db/sql.ts";
import { countRows } from "#service/testing/count-rows.ts";
import { openMessageWorld, type MessageWorld } from "#service/testing/message-world.ts";
import type { Person } from "#stand-ins/telegram/people.ts";
import { ADMIN, STREAMER, startTestService } from "#service/testing/test-service.ts";
import type { TestClient } from "#service/testing/test-client.ts";

let world: MessageWorld;
let admin: TestClient;
let dana: Person;

beforeEach(async () => {
  world = await openMessageWorld({ settings: { RATE_LIMIT_FACTOR: "1" } });
  admin = await world.signIn(ADMIN);
  const [person] = world.telegram.people.list();
  if (person === undefined) throw new Error("The stand-in knows nobody");
  dana = person;
});

afterEach(() => world.close());

function save(preferences: unknown) {
  return admin.call("PUT", notifications.setPreferences.path, { body: { preferences } });
}

function testEvent(type: string) {
  return admin.call("POST", `/admin/notifications/test/${type}`);
}

function testTelegram(telegramUserId: unknown) {
  return admin.call("POST", notifications.testTelegram.path, { body: { telegramUserId } });
}

function logPage(limit: number, offset: number) {
  const { path } = notifications.notificationEvents;
  return admin.expect(notifications.notificationEvents, `${path}?limit=${limit}&offset=${offset}`);
}

function auditCount(action: string): Promise<number> {
  return countRows(world.platform.database, sql`audit WHERE action = ${action}`);
}

test("browser notifications for failed uploads are enabled by default", async () => {
  const preferences = await admin.expect(notifications.getPreferences);
  expect(preferences.enabledEvents.upload_failed).toEqual(["browser"]);
  expect(preferences.enabledEvents.upload_completed).toEqual([]);
  expect(preferences).not.toHaveProperty("email");
});

test("returns saved preferences to their owner only, and keeps the email out of the audit log", async () => {
  const chosen = {
    telegramUserId: "7000000001",
    telegramUsername: "@dana_ops",
    email: "dana+alerts@example.org",
    enabledEvents: { upload_failed: ["telegram", "email"] },
  };
  expect((await save(chosen)).status).toBe(200);
  expect(await admin.expect(notifications.getPreferences)).toEqual(chosen);
  const other = await world.signInWith(STREAMER, ["read:system"]);
  expect(await other.expect(notifications.getPreferences)).not.toHaveProperty("email");
  const [row] = await world.platform.database.all(
    sql`SELECT before, after FROM audit WHERE action = 'notification.preferences'`,
  );
  expect(row?.after).toContain('"hasEmail":true');
  expect(JSON.stringify(row)).not.toContain("example.org");
});

async function isSetUp(): Promise<boolean | undefined> {
  const { steps } = await admin.expect(systemSetup);
  return steps.find(({ step }) => step === "notifications")?.isDone;
}

test("notifications are set up once an event reaches an address by a channel that works", async () => {
  expect(await isSetUp()).toBe(false);
  await save({ email: "dana@example.org", enabledEvents: { upload_failed: ["telegram"] } });
  expect(await isSetUp()).toBe(false);
  await save({ email: "dana@example.org", enabledEvents: { upload_failed: ["email"] } });
  expect(await isSetUp()).toBe(true);
});

test("the configuration lists event types, channels and the sending account", async () => {
  const config = await admin.expect(notifications.notificationConfig);
  expect(config.eventTypes).toHaveLength(EVENT_TYPES.length);
  expect(config.channels.map(({ type, available }) => [type, available])).toEqual([
    ["browser", true],
    ["telegram", true],
    ["email", true],
  ]);
  expect(config.account).toEqual({
    environment: "preview",
    defaultAdminUser: expect.any(String),
    telegramBotId: "123456789",
    telegramBotName: "vodkeep_bot",
    telegramBotStatus: "active",
    telegramChatUrl: world.telegram.url,
    messagePrefix: "[PREVIEW]",
  });
  expect(JSON.stringify(config)).not.toContain(world.telegram.botToken);
});

test("reports the bot as unreachable when Telegram does not respond", async () => {
  world.telegram.addFault({ drop: true });
  const { account } = await admin.expect(notifications.notificationConfig);
  expect(account.telegramBotStatus).toBe("unreachable");
});

test("reports unconfigured channels as unavailable, with a reason", async () => {
  const bare = await startTestService({ settings: { TELEGRAM_BOT_NAME: "named_bot" } });
  const client = await bare.signIn(ADMIN);
  const config = await client.expect(notifications.notificationConfig);
  expect(config.channels[1]).toMatchObject({
    available: false,
    unavailableReason: expect.stringContaining("TELEGRAM_BOT_TOKEN"),
  });
  expect(config.channels[2]?.unavailableReason).toContain("SMTP_URL");
  expect(config.account).toMatchObject({
    telegramBotStatus: "not_configured",
    telegramBotName: "named_bot",
  });
  const body = { telegramUserId: "7000000001" };
  const answer = await client.call("POST", notifications.testTelegram.path, { body });
  expect(answer.error).toMatchObject({ code: "unavailable" });
  await bare.close();
});

test("delivers a Telegram test to a user who has pressed Start", async () => {
  dana.hasStarted = true;
  const answer = await testTelegram(String(dana.id));
  expect(answer.data).toEqual({ delivered: ["telegram"] });
  expect(dana.messages.at(-1)?.text).toMatch(/^\[PREVIEW\] Test: Telegram\n/);
  expect(await auditCount("notification.test")).toBe(1);
});

test("refuses a Telegram test to an id that only another administrator has saved", async () => {
  dana.hasStarted = true;
  const other = await world.signInWith(STREAMER, ["read:system"]);
  const preferences = { telegramUserId: String(dana.id), enabledEvents: {} };
  const body = { preferences };
  await other.expect(notifications.setPreferences, notifications.setPreferences.path, { body });
  expect((await testTelegram(String(dana.id))).error?.code).toBe("conflict");
  expect(dana.messages).toEqual([]);
  await save(preferences);
  expect((await testTelegram(String(dana.id))).status).toBe(200);
});

test("returns 502 with an explanation when Telegram fails, without logging the token", async () => {
  const answer = await testTelegram(String(dana.id));
  expect(answer.status).toBe(502);
  expect(answer.error?.message).toBe(
    "Telegram does not let the bot write to this user yet. " +
      "Open a chat with the bot and press Start, then test again.",
  );
  world.telegram.addFault({ status: 401, description: "Unauthorized", times: 1 });
  expect((await testTelegram("7000000001")).error?.message).toContain("TELEGRAM_BOT_TOKEN");
  world.telegram.addFault({ drop: true, times: 1 });
  expect((await testTelegram("7000000001")).error?.message).toBe("Telegram is not responding.");
  dana.hasStarted = true;
  dana.hasBlocked = true;
  expect((await testTelegram(String(dana.id))).error?.message).toContain("Unblock it there");
  expect(world.log()).not.toContain(world.telegram.botToken);
});

test("after a 429 from Telegram, rejects a test without contacting Telegram again", async () => {
  dana.hasStarted = true;
  world.telegram.addFault({ status: 429, retryAfterSec: 30, times: 1 });
  expect((await testTelegram(String(dana.id))).status).toBe(502);
  const second = await testTelegram(String(dana.id));
  expect(second.status).toBe(502);
  expect(second.error?.message).toContain("wait");
  expect(world.telegram.ledger).toHaveLength(1);
});

test("an event test is sent to the user's enabled channels and appears in the bell and the log", async () => {
  dana.hasStarted = true;
  await save({
    telegramUserId: String(dana.id),
    email: "dana@example.org",
    enabledEvents: { budget_exceeded: ["browser", "telegram", "email"] },
  });
  const changes: UnreadChange[] = [];
  const live = await onUnread(world.platform.hub, (change) => changes.push(change));
  const answer = await testEvent("budget_exceeded");
  expect(answer.data).toEqual({ delivered: ["browser", "telegram", "email"] });
  expect(dana.messages).toHaveLength(1);
  expect(world.mail.mails[0]?.subject).toBe("[PREVIEW] Test: Budget spent");
  const { events, total } = await admin.expect(notifications.notificationEvents);
  expect(total).toBe(3);
  expect(events.map(({ status, type }) => `${type} ${status}`)).toEqual(
    Array.from({ length: 3 }, () => "budget_exceeded delivered"),
  );
  expect(changes).toEqual([{ userId: ADMIN, unread: 1 }]);
  live.unsubscribe();
});

test("returns 502 when one channel of a test fails, and logs which channel was delivered", async () => {
  await save({
    telegramUserId: String(dana.id),
    enabledEvents: { upload_failed: ["browser", "telegram"] },
  });
  const answer = await testEvent("upload_failed");
  expect(answer.status).toBe(502);
  expect(answer.error?.message).toContain("press Start");
  expect(answer.error?.message).toContain("The browser test was sent.");
  const { events } = await admin.expect(notifications.notificationEvents);
  expect(new Map(events.map(({ channel, status }) => [channel, status]))).toEqual(
    new Map([
      ["browser", "delivered"],
      ["telegram", "failed"],
    ]),
  );
});

test("reports a channel without an address alongside the channel that was delivered", async () => {
  await save({ enabledEvents: { upload_failed: ["browser", "telegram"] } });
  const answer = await testEvent("upload_failed");
  expect(answer.status).toBe(502);
  expect(answer.error?.message).toContain("Telegram User ID");
  expect(answer.error?.message).toContain("The browser test was sent.");
});

test("testing an event without a usable channel reports what is missing", async () => {
  await save({ enabledEvents: { upload_failed: ["telegram"], user_banned: [] } });
  expect((await testEvent("upload_failed")).error?.message).toContain("Telegram User ID");
  expect((await testEvent("user_banned")).error?.message).toContain("Switch one on");
  expect((await testEvent("no_such_event")).status).toBe(400);
  expect((await testEvent("__proto__")).status).toBe(400);
});

test("sends only five of a hundred concurrent tests, and allows another after a minute", async () => {
  dana.hasStarted = true;
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => testTelegram(String(dana.id))),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  const refused = answers.find(({ status }) => status === 429);
  expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(dana.messages).toHaveLength(5);
  world.clock.advance(61_000);
  expect((await testTelegram(String(dana.id))).status).toBe(200);
});

test("limits tests of the most severe event to five as well", async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => testEvent("service_unhealthy")),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(45);
  expect((await admin.expect(browserNotifications)).unread).toBe(5);
});

test("a clock that differs by a second forgets no test, and one set back by an hour does", async () => {
  for (let count = 0; count < 5; count += 1)
    expect((await testEvent("service_unhealthy")).status).toBe(200);
  world.clock.jump(-1_000);
  expect((await testEvent("service_unhealthy")).status).toBe(429);
  world.clock.jump(-3_600_000);
  expect((await testEvent("service_unhealthy")).status).toBe(200);
});

test("saving preferences replaces the previous ones entirely", async () => {
  await save({ email: "dana@example.org", enabledEvents: { upload_failed: ["email"] } });
  const last = { telegramUserId: "7000000001", enabledEvents: { user_banned: ["telegram"] } };
  await save(last);
  expect(await admin.expect(notifications.getPreferences)).toEqual(last);
});

test("marks only the user's own notifications as read, once, and pushes the new count", async () => {
  await testEvent("upload_failed");
  await testEvent("upload_failed");
  const other = await world.signInWith(STREAMER, ["read:uploads"]);
  await other.call("POST", "/admin/notifications/test/upload_failed");
  const own = (await admin.expect(browserNotifications)).notifications;
  const foreign = (await other.expect(browserNotifications)).notifications;
  expect(own).toHaveLength(2);
  const changes: UnreadChange[] = [];
  const live = await onUnread(world.platform.hub, (change) => changes.push(change));
  const ids = [own[0]?.id, own[0]?.id, foreign[0]?.id, "999999", "abc"];
  const body = { notificationIds: ids };
  expect(await admin.expect(markNotificationsRead, undefined, { body })).toEqual({
    read: 1,
  });
  expect(await admin.expect(markNotificationsRead, undefined, { body })).toEqual({
    read: 0,
  });
  expect((await admin.expect(browserNotifications)).unread).toBe(1);
  expect((await other.expect(browserNotifications)).unread).toBe(1);
  expect(changes).toEqual([{ userId: ADMIN, unread: 1 }]);
  expect(await auditCount("notification.read")).toBe(1);
  live.unsubscribe();
});

test("paginates the log and returns an empty page beyond its end", async () => {
  for (let index = 0; index < 3; index += 1) await testEvent("upload_failed");
  expect((await logPage(2, 0)).events).toHaveLength(2);
  expect((await logPage(2, 2)).events).toHaveLength(1);
  expect(await logPage(2, 900)).toEqual({ events: [], total: 3 });
});
