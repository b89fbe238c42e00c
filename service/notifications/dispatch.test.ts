import { afterEach, beforeEach, expect, test } from "vitest";
import { browserNotifications, markNotificationsRead } from "#contract/browser-notifications.ts";
import { type EventType } from "#contract/notification-events.ts";
import * as notifications from "#contract/notifications.ts";
import { LINKED_PAGES, type LinkedPage } from "#contract/pages.ts";
import { PERMISSIONS } from "#contract/permissions.ts";
import type { ServiceContext } from "#service/context.ts";
import type { Platform } from "#service/platform.ts";
import { runDue } from "#service/jobs/job-runner.ts";
import { sql } from "#service/db/sql.ts";
import { openMessageWorld, type MessageWorld } from "#service/testing/message-world.ts";
import { ADMIN, STREAMER } from "#service/testing/test-service.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import type { Person } from "#stand-ins/telegram/people.ts";
import type { ChannelSender } from "./channel.ts";
import { deliveryJob } from "./delivery-round.ts";
import { holdChannel, MAX_ATTEMPTS, readHeldUntil } from "./delivery-store.ts";
import { createMessaging, type Messaging } from "./messaging.ts";
import { notificationEventIf, type EventCause } from "#service/changes/notification-event.ts";
import { removeOldRows } from "#service/pruning.ts";
import { fanOutEvents } from "./outbox.ts";

let world: MessageWorld;
let context: ServiceContext;
let messaging: Messaging;
let admin: TestClient;
let dana: Person;

beforeEach(async () => {
  world = await openMessageWorld();
  context = contextOn(world.platform);
  messaging = createMessaging(context);
  admin = await world.signIn(ADMIN);
  const [person] = world.telegram.people.list();
  if (person === undefined) throw new Error("The stand-in knows nobody");
  dana = person;
  dana.hasStarted = true;
});

afterEach(() => world.close());

function contextOn(platform: Platform): ServiceContext {
  return { ...world.context, platform };
}

function senderOf(channel: "telegram" | "email"): ChannelSender {
  const sender = messaging.senders.find((each) => each.channel === channel);
  if (sender === undefined) throw new Error(`There is no ${channel}`);
  return sender;
}

async function choose(
  client: TestClient,
  channels: readonly notifications.Channel[],
  type: EventType = "consent_changed",
): Promise<void> {
  const preferences = {
    telegramUserId: String(dana.id),
    email: "dana@example.org",
    enabledEvents: { [type]: channels },
  };
  await client.expect(notifications.setPreferences, undefined, { body: { preferences } });
}

/** Announced one by one. */
const anEvent = {
  type: "consent_changed",
  subject: "u1",
  body: "The source is gone.",
  link: "/uploads/failed",
} as const;

async function happen(title: string, type: EventType = "consent_changed"): Promise<void> {
  await world.platform.database.run(
    notificationEventIf({ ...anEvent, type, title }, world.clock.now(), sql`TRUE`),
  );
  await fanOutEvents(world.platform, messaging.senders);
}

const deliver = (by: ServiceContext, sender: ChannelSender) =>
  runDue(by, sender.channel, deliveryJob(by, sender), 100);
const deliverTelegram = () => deliver(context, senderOf("telegram"));
const deliverMail = () => deliver(context, senderOf("email"));

async function log(client: TestClient = admin) {
  return (await client.expect(notifications.notificationEvents)).events;
}

async function unreadOf(client: TestClient): Promise<number> {
  return (await client.expect(browserNotifications)).unread;
}

const minutes = (count: number) => count * 60_000;

test("delivers an event once to each chosen channel, with prefix and link", async () => {
  await choose(admin, ["browser", "telegram", "email"]);
  await happen("Upload failed: <b>Ünïcode & *markup* 🎬</b>");
  await fanOutEvents(world.platform, messaging.senders);
  await Promise.all([deliverTelegram(), deliverMail()]);
  await Promise.all([deliverTelegram(), deliverMail()]);

  const link = "http://localhost:8787/uploads/failed";
  expect(dana.messages.map(({ text }) => text)).toEqual([
    `[PREVIEW] Upload failed: <b>Ünïcode & *markup* 🎬</b>\nThe source is gone.\n\n${link}`,
  ]);
  expect(world.telegram.ledger[0]?.parameters).not.toHaveProperty("parse_mode");
  expect(world.mail.mails).toHaveLength(1);
  expect(world.mail.mails[0]).toMatchObject({
    recipients: ["dana@example.org"],
    from: "vodkeep@example.org",
    subject: "[PREVIEW] Upload failed: <b>Ünïcode & *markup* 🎬</b>",
  });
  expect(world.mail.mails[0]?.text).toContain(link);
  expect(world.mail.mails[0]?.html).toContain(`<a href="${link}">${link}</a>`);
  expect(world.mail.mails[0]?.html).toContain("&lt;b&gt;Ünïcode &amp; *markup* 🎬&lt;/b&gt;");
  expect(world.mail.mails[0]?.headers.get("message-id")).toMatch(/^<notification-\d+-\d{13}@/);
  const bell = await admin.expect(browserNotifications);
  expect(bell).toMatchObject({ unread: 1, notifications: [{ read: false, severity: "high" }] });
  expect((await log()).map(({ status }) => status)).toEqual([
    "delivered",
    "delivered",
    "delivered",
  ]);
});

test("only administrators with the required permission are notified of an event", async () => {
  const reader = await world.signInWith(STREAMER, ["read:users"]);
  const outsider = await world.signIn("1003");
  await happen("Nobody with read:users alone hears of uploads");
  await happen("But of administrators everyone does", "administrator_changed");
  expect(await unreadOf(admin)).toBe(2);
  expect(await unreadOf(reader)).toBe(1);
  expect((await outsider.call("GET", browserNotifications.path)).status).toBe(403);
});

test("permission changes and bans notify every administrator except the one who made them", async () => {
  const { database } = world.platform;
  const bystander = await world.signInWith(STREAMER, ["read:uploads"]);
  await world.signIn("1003");
  await world.signInWith("1004", ["read:users"]);
  await database.run(sql`UPDATE users SET banned_at = 1 WHERE id = '1004'`);
  const change = (method: string, path: string, body?: unknown) =>
    admin.call(method, `/admin/users/1003/${path}`, body === undefined ? {} : { body });
  expect((await change("PUT", "permissions", { permissions: ["read:system"] })).status).toBe(200);
  expect((await change("POST", "ban")).status).toBe(200);
  expect((await change("POST", "unban")).status).toBe(200);
  await fanOutEvents(world.platform, messaging.senders);
  const told = await database.all(sql`
    SELECT d.receiver AS user_id, e.title FROM notification_deliveries d
    JOIN notification_events e ON e.seq = d.event_seq ORDER BY d.seq`);
  const titles = ["Permissions of", "was banned", "ban of"];
  expect(told.filter((row) => row.user_id === STREAMER)).toEqual(
    titles.map((title) => ({ user_id: STREAMER, title: expect.stringContaining(title) })),
  );
  expect(new Set(told.map((row) => row.user_id))).toEqual(new Set([STREAMER, "1003"]));
  expect(await unreadOf(bystander)).toBe(3);
  expect(await unreadOf(admin)).toBe(0);
});

const PAGES: readonly LinkedPage[] = [
  "/",
  "/uploads",
  "/uploads/failed",
  "/files",
  "/watch",
  "/channels",
  "/users",
  "/system",
];

test.each(PERMISSIONS)(
  "a user with only %s gets links only to pages they may open",
  async (held) => {
    const reader = await world.signInWith(STREAMER, [held]);
    await choose(reader, ["browser", "telegram"], "user_banned");
    expect(PAGES).toEqual(Object.keys(LINKED_PAGES));
    const { database } = world.platform;
    const open: string[] = [];
    for (const page of PAGES) {
      const asks = LINKED_PAGES[page];
      const link =
        page === "/watch" || page === "/channels"
          ? (`${page}/x` as const)
          : (`${page}?search=x` as const);
      if (asks === null || asks === held) open.push(link);
      await database.run(
        notificationEventIf(
          { ...anEvent, type: "user_banned", title: page, link },
          world.clock.now(),
          sql`TRUE`,
        ),
      );
      await fanOutEvents(world.platform, messaging.senders);
      await deliverTelegram();
    }
    const bell = (await reader.expect(browserNotifications)).notifications;
    expect(bell.map(({ title }) => title).toReversed()).toEqual(PAGES);
    expect(bell.flatMap(({ link }) => link ?? []).toReversed()).toEqual(open);
    const sent = dana.messages.map(({ text }) => text);
    expect(sent).toHaveLength(PAGES.length);
    expect(sent.flatMap((text) => /http:\/\/localhost:8787(\S+)/.exec(text)?.[1] ?? [])).toEqual(
      open,
    );
  },
);

test("a user banned before delivery does not receive the message", async () => {
  const other = await world.signInWith(STREAMER, ["read:uploads"]);
  await choose(other, ["telegram"]);
  await happen("Secret title");
  await world.platform.database.run(sql`UPDATE users SET banned_at = 1 WHERE id = ${STREAMER}`);
  await deliverTelegram();
  expect(dana.messages).toHaveLength(0);
});

test.each([
  ["has not pressed Start", () => (dana.hasStarted = false), "press Start, then test again"],
  ["has blocked the bot", () => (dana.hasBlocked = true), "Unblock it there"],
])(
  "a message to a user who %s fails after one attempt and says what to do",
  async (_name, arrange, words) => {
    arrange();
    await choose(admin, ["telegram"]);
    await happen("Refused");
    await deliverTelegram();
    const [entry] = await log();
    expect(entry).toMatchObject({ status: "failed", attempts: 1 });
    expect(entry?.error).toContain(words);
  },
);

test("after a 429, sends nothing until the wait is over, even after a restart", async () => {
  world.clock.stand();
  await choose(admin, ["telegram"]);
  await happen("First");
  await happen("Second");
  world.telegram.addFault({ method: "sendMessage", status: 429, retryAfterSec: 60, times: 1 });
  await deliverTelegram();
  expect(world.telegram.ledger).toHaveLength(1);
  for (let second = 0; second < 59; second += 1) {
    world.clock.advance(1_000);
    await deliver(context, createMessaging(context).telegram);
  }
  expect(world.telegram.ledger).toHaveLength(1);
  world.clock.advance(2_000);
  await deliverTelegram();
  expect(dana.messages).toHaveLength(2);
  expect(world.telegram.ledger).toHaveLength(3);
});

test("a one-hour outage of a channel loses no messages and does not affect the other channel", async () => {
  await choose(admin, ["telegram", "email"]);
  world.telegram.addFault({ drop: true });
  for (let third = 1; third <= 3; third += 1) {
    await happen(`Event ${third}`);
    await Promise.all([deliverTelegram(), deliverMail()]);
    expect(world.mail.mails).toHaveLength(third);
    for (let minute = 0; minute < 20; minute += 1) {
      world.clock.advance(minutes(1));
      await deliverTelegram();
    }
  }
  expect(dana.messages).toHaveLength(0);
  world.telegram.clearFaults();
  for (let minute = 0; minute < 31; minute += 1) {
    world.clock.advance(minutes(1));
    await deliverTelegram();
  }
  expect(dana.messages).toHaveLength(3);
  expect(new Set(dana.messages.map(({ text }) => text)).size).toBe(3);
  expect(world.mail.mails).toHaveLength(3);
});

/** A failed upload; `cause` as in its failure class. */
async function fail(title: string, cause: EventCause = "try_later"): Promise<void> {
  const event = { ...anEvent, type: "upload_failed", cause, title } as const;
  await world.platform.database.run(notificationEventIf(event, world.clock.now(), sql`TRUE`));
}

const fanOut = () => fanOutEvents(world.platform, messaging.senders);

test("failures of one cause within ten minutes become one entry and two messages", async () => {
  await choose(admin, ["browser", "telegram", "email"], "upload_failed");
  await fail("First");
  await fanOut();
  await Promise.all([deliverTelegram(), deliverMail()]);
  expect(dana.messages).toHaveLength(1);
  const [entry] = (await admin.expect(browserNotifications)).notifications;
  if (entry === undefined) throw new Error("The bell is empty");
  await admin.expect(markNotificationsRead, undefined, {
    body: { notificationIds: [entry.id] },
  });
  for (let minute = 1; minute < 10; minute += 1) {
    world.clock.advance(minutes(1));
    for (let count = 0; count < 7; count += 1) await fail(`Of minute ${minute}`);
    // Two dispatchers find the same events.
    await Promise.all([fanOut(), fanOut()]);
    await Promise.all([deliverTelegram(), deliverMail()]);
  }
  await fail("Of another cause", "storage");
  await fanOut();
  await Promise.all([deliverTelegram(), deliverMail()]);
  expect(dana.messages).toHaveLength(2);
  world.clock.advance(minutes(1));
  await Promise.all([deliverTelegram(), deliverMail()]);
  await fail("After the window");
  await fanOut();
  await Promise.all([deliverTelegram(), deliverMail()]);

  const link = "http://localhost:8787/uploads/failed?cause=try_later";
  const many = "[PREVIEW] 63 uploads failed: the source was unavailable";
  expect(dana.messages.map(({ text }) => text.split("\n")[0])).toEqual([
    "[PREVIEW] First",
    "[PREVIEW] Of another cause",
    many,
    "[PREVIEW] After the window",
  ]);
  expect(dana.messages[2]?.text).toBe(
    `${many}\nThe first: Of minute 1\nThe source is gone.\n\n${link}`,
  );
  expect(world.mail.mails.map(({ subject }) => subject)[2]).toBe(many);
  const bell = await admin.expect(browserNotifications);
  expect(bell.notifications.map(({ title, read }) => [title, read])).toEqual([
    ["After the window", false],
    ["Of another cause", false],
    ["64 uploads failed: the source was unavailable", false],
  ]);
  expect(bell).toMatchObject({
    unread: 3,
    notifications: [{}, {}, { link: new URL(link).pathname + new URL(link).search }],
  });
});

test("an event does not join a message whose sending has begun", async () => {
  await choose(admin, ["telegram"], "upload_failed");
  world.telegram.addFault({ status: 502, times: 1 });
  for (const title of ["One", "Two", "Three"]) {
    await fail(title);
    await fanOut();
    await deliverTelegram();
  }
  expect((await log()).map(({ title, status }) => `${title} ${status}`)).toEqual([
    "2 uploads failed: the source was unavailable pending",
    "One pending",
  ]);
  world.clock.advance(minutes(10));
  await deliverTelegram();
  expect(dana.messages).toHaveLength(2);
});

test("combines many events into one message that lists them", async () => {
  await choose(admin, ["telegram", "browser"]);
  const titles = Array.from({ length: 30 }, (_, index) => `Upload ${index} failed`);
  for (const title of titles) await happen(title);
  await deliverTelegram();
  expect(dana.messages).toHaveLength(1);
  const [opening, ...lines] = dana.messages[0]?.text.split("\n") ?? [];
  expect(opening).toBe("[PREVIEW] 30 notifications");
  expect(lines.slice(0, 30)).toEqual(titles.map((title) => `- ${title}`));
  expect(await unreadOf(admin)).toBe(30);
  const { events } = await admin.expect(
    notifications.notificationEvents,
    `${notifications.notificationEvents.path}?limit=100`,
  );
  expect(events).toHaveLength(60);
  expect(events.every(({ status }) => status === "delivered")).toBe(true);
});

test("a crash between sending and recording repeats only that message", async () => {
  await choose(admin, ["telegram"]);
  for (const title of ["One", "Two", "Three"]) await happen(title);
  const { database } = world.platform;
  let isDead = false;
  const crashing = contextOn({
    ...world.platform,
    database: {
      ...database,
      async batch(statements) {
        isDead ||= statements.some((statement) => statement.sql.includes("'delivered'"));
        if (isDead) throw new Error("killed");
        return await database.batch(statements);
      },
    },
  });
  await deliver(crashing, senderOf("telegram"));
  await deliverTelegram();
  expect(dana.messages).toHaveLength(1);
  world.clock.advance(minutes(1));
  await deliverTelegram();
  await deliverTelegram();
  const titles = dana.messages.map(({ text }) => text.split("\n")[0]);
  expect(titles).toEqual(["[PREVIEW] One", "[PREVIEW] One", "[PREVIEW] Two", "[PREVIEW] Three"]);
});

test("when a combined message fails, only events on their last attempt are marked as failed", async () => {
  await choose(admin, ["telegram"]);
  await happen("Old");
  const { database } = world.platform;
  await database.run(sql`UPDATE notification_deliveries SET attempts = ${MAX_ATTEMPTS - 1}`);
  for (const title of ["New 1", "New 2", "New 3", "New 4"]) await happen(title);
  world.telegram.addFault({ status: 502, times: 1 });
  await deliverTelegram();
  expect((await log()).map(({ title, status }) => `${title} ${status}`)).toEqual([
    "New 4 pending",
    "New 3 pending",
    "New 2 pending",
    "New 1 pending",
    "Old failed",
  ]);
  expect((await log()).at(-1)?.error).toBe("Telegram is failing (HTTP 502).");
  world.clock.advance(minutes(1));
  await deliverTelegram();
  expect(dana.messages).toHaveLength(4);
});

test("prunes old events with their deliveries, except events that are not fanned out yet", async () => {
  await happen("Old");
  await world.platform.database.run(
    notificationEventIf({ ...anEvent, title: "Waiting" }, 0, sql`TRUE`),
  );
  world.clock.advance(91 * 24 * 60 * minutes(1));
  const { database } = world.platform;
  await database.batch(removeOldRows(world.clock.now()));
  const rows = await database.all(sql`SELECT title FROM notification_events`);
  expect(rows.map(({ title }) => title)).toEqual(["Waiting"]);
  expect(await database.all(sql`SELECT seq FROM notification_deliveries`)).toEqual([]);
});

test("an event that waits is spread, also if a test was sent before it", async () => {
  await choose(admin, ["browser"]);
  const waiting = { ...anEvent, title: "Waiting" };
  await world.platform.database.run(notificationEventIf(waiting, world.clock.now(), sql`TRUE`));
  await admin.expect(notifications.testEvent, "/admin/notifications/test/consent_changed");
  await fanOutEvents(world.platform, messaging.senders);
  expect((await admin.expect(browserNotifications)).notifications).toHaveLength(2);
});

test("the bot token never appears in the logs or in delivery errors", async () => {
  await choose(admin, ["telegram"]);
  await happen("Token");
  world.telegram.addFault({ drop: true, times: 1 });
  await deliverTelegram();
  world.clock.advance(minutes(1));
  world.telegram.addFault({
    status: 400,
    description: `Bad Request: /bot${world.telegram.botToken}/sendMessage`,
    times: 1,
  });
  await deliverTelegram();
  const texts = JSON.stringify([await log(), world.log()]);
  expect(texts).toContain("Telegram refused the message");
  expect(texts).not.toContain(world.telegram.botToken);
});

test("a shorter wait requested by a provider does not shorten a longer one", async () => {
  const { database } = world.platform;
  await database.run(holdChannel("telegram", 2_000));
  await database.run(holdChannel("telegram", 1_000));
  expect(await readHeldUntil(database, "telegram")).toBe(2_000);
});
