import { afterEach, beforeEach, expect, test } from "vitest";
import { browserNotifications } from "#contract/browser-notifications.ts";
import * as notifications from "#contract/notifications.ts";
import { sql } from "#service/db/sql.ts";
import { JOB_KINDS } from "#service/jobs/job-kinds.ts";
import type { Database } from "#service/ports/database.ts";
import { type DeliveryWorld, minutes, openDeliveryWorld } from "#service/testing/delivery-world.ts";
import { STREAMER } from "#service/testing/test-service.ts";
import { holdChannel, readHeldUntil } from "./delivery-store.ts";

let world: DeliveryWorld;
beforeEach(async () => {
  world = await openDeliveryWorld();
});
afterEach(() => world.close());

test("delivers an event once to each chosen channel, with prefix and link", async () => {
  await world.choose(world.admin, ["browser", "telegram", "email"]);
  await world.happen("Upload failed: <b>Ünïcode & *markup* 🎬</b>");
  await world.fanOut();
  await world.deliver();
  await world.deliver();

  const link = "http://localhost:8787/uploads/failed";
  expect(world.dana.messages.map(({ text }) => text)).toEqual([
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
  const bell = await world.admin.expect(browserNotifications);
  expect(bell).toMatchObject({ unread: 1, notifications: [{ read: false, severity: "high" }] });
  expect((await world.log()).map(({ status }) => status)).toEqual([
    "delivered",
    "delivered",
    "delivered",
  ]);
});

test("a user banned before delivery does not receive the message", async () => {
  const other = await world.signInWith(STREAMER, ["read:uploads"]);
  await world.choose(other, ["telegram"]);
  await world.happen("Secret title");
  await world.platform.database.run(sql`UPDATE users SET banned_at = 1 WHERE id = ${STREAMER}`);
  await world.deliverTelegram();
  expect(world.dana.messages).toHaveLength(0);
});

test.each([
  ["has not pressed Start", () => (world.dana.hasStarted = false), "press Start, then test again"],
  ["has blocked the bot", () => (world.dana.hasBlocked = true), "Unblock it there"],
])(
  "a message to a user who %s fails after one attempt and says what to do",
  async (_name, arrange, words) => {
    arrange();
    await world.choose(world.admin, ["telegram"]);
    await world.happen("Refused");
    await world.deliverTelegram();
    const [entry] = await world.log();
    expect(entry).toMatchObject({ status: "failed", attempts: 1 });
    expect(entry?.error).toContain(words);
  },
);

test("after a 429, sends nothing until the wait is over, even after a restart", async () => {
  world.clock.stand();
  await world.choose(world.admin, ["telegram"]);
  await world.happen("First");
  await world.happen("Second");
  world.telegram.addFault({ method: "sendMessage", status: 429, retryAfterSec: 60, times: 1 });
  await world.deliverTelegram();
  expect(world.telegram.ledger).toHaveLength(1);
  for (let second = 0; second < 59; second += 1) {
    world.clock.advance(1_000);
    await world.deliverTelegram();
  }
  expect(world.telegram.ledger).toHaveLength(1);
  world.clock.advance(2_000);
  await world.deliverTelegram();
  expect(world.dana.messages).toHaveLength(2);
  expect(world.telegram.ledger).toHaveLength(3);
});

test("a one-hour outage of a channel loses no messages and does not affect the other channel", async () => {
  await world.choose(world.admin, ["telegram", "email"]);
  world.telegram.addFault({ drop: true });
  for (let third = 1; third <= 3; third += 1) {
    await world.happen(`Event ${third}`);
    await world.deliver();
    expect(world.mail.mails).toHaveLength(third);
    for (let minute = 0; minute < 20; minute += 1) {
      world.clock.advance(minutes(1));
      await world.deliverTelegram();
    }
  }
  expect(world.dana.messages).toHaveLength(0);
  world.telegram.clearFaults();
  for (let minute = 0; minute < 31; minute += 1) {
    world.clock.advance(minutes(1));
    await world.deliverTelegram();
  }
  expect(world.dana.messages).toHaveLength(3);
  expect(new Set(world.dana.messages.map(({ text }) => text)).size).toBe(3);
  expect(world.mail.mails).toHaveLength(3);
});

test("combines many events into one message that lists them", async () => {
  await world.choose(world.admin, ["telegram", "browser"]);
  const titles = Array.from({ length: 30 }, (_, index) => `Upload ${index} failed`);
  for (const title of titles) await world.happen(title);
  await world.deliverTelegram();
  expect(world.dana.messages).toHaveLength(1);
  const [opening, ...lines] = world.dana.messages[0]?.text.split("\n") ?? [];
  expect(opening).toBe("[PREVIEW] 30 notifications");
  expect(lines.slice(0, 30)).toEqual(titles.map((title) => `- ${title}`));
  expect(await world.unreadOf(world.admin)).toBe(30);
  const { events } = await world.admin.expect(
    notifications.notificationEvents,
    `${notifications.notificationEvents.path}?limit=100`,
  );
  expect(events).toHaveLength(60);
  expect(events.every(({ status }) => status === "delivered")).toBe(true);
});

test("a crash between sending and recording repeats only that message", async () => {
  await world.choose(world.admin, ["telegram"]);
  for (const title of ["One", "Two", "Three"]) await world.happen(title);
  const { database } = world.platform;
  let isDead = false;
  const crashing: Database = {
    ...database,
    async batch(statements) {
      isDead ||= statements.some(({ values }) => values.includes("delivered"));
      if (isDead) throw new Error("killed");
      return await database.batch(statements);
    },
  };
  await world.deliverBy({ ...world.platform, database: crashing }, "telegram");
  await world.deliverTelegram();
  expect(world.dana.messages).toHaveLength(1);
  world.clock.advance(minutes(1));
  await world.deliverTelegram();
  await world.deliverTelegram();
  const titles = world.dana.messages.map(({ text }) => text.split("\n")[0]);
  expect(titles).toEqual(["[PREVIEW] One", "[PREVIEW] One", "[PREVIEW] Two", "[PREVIEW] Three"]);
});

test("when a combined message fails, only events on their last attempt are marked as failed", async () => {
  await world.choose(world.admin, ["telegram"]);
  await world.happen("Old");
  const { database } = world.platform;
  await database.run(
    sql`UPDATE notification_deliveries SET attempts = ${JOB_KINDS.telegram.maxAttempts - 1}`,
  );
  for (const title of ["New 1", "New 2", "New 3", "New 4"]) await world.happen(title);
  world.telegram.addFault({ status: 502, times: 1 });
  await world.deliverTelegram();
  expect((await world.log()).map(({ title, status }) => `${title} ${status}`)).toEqual([
    "New 4 pending",
    "New 3 pending",
    "New 2 pending",
    "New 1 pending",
    "Old failed",
  ]);
  expect((await world.log()).at(-1)?.error).toBe("Telegram is failing (HTTP 502).");
  world.clock.advance(minutes(1));
  await world.deliverTelegram();
  expect(world.dana.messages).toHaveLength(4);
});

test("the bot token never appears in the logs or in delivery errors", async () => {
  await world.choose(world.admin, ["telegram"]);
  await world.happen("Token");
  world.telegram.addFault({ drop: true, times: 1 });
  await world.deliverTelegram();
  world.clock.advance(minutes(1));
  world.telegram.addFault({
    status: 400,
    description: `Bad Request: /bot${world.telegram.botToken}/sendMessage`,
    times: 1,
  });
  await world.deliverTelegram();
  const texts = JSON.stringify([await world.log(), world.logText()]);
  expect(texts).toContain("Telegram refused the message");
  expect(texts).not.toContain(world.telegram.botToken);
});

test("a shorter wait requested by a provider does not shorten a longer one", async () => {
  const { database } = world.platform;
  await database.run(holdChannel("telegram", 2_000));
  await database.run(holdChannel("telegram", 1_000));
  expect(await readHeldUntil(database, "telegram")).toBe(2_000);
});
