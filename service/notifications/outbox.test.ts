import { afterEach, beforeEach, expect, test } from "vitest";
import { browserNotifications, markNotificationsRead } from "#contract/browser-notifications.ts";
import * as notifications from "#contract/notifications.ts";
import { LINKED_PAGES, type LinkedPage } from "#contract/pages.ts";
import { PERMISSIONS } from "#contract/permissions.ts";
import type { EventCause } from "#service/changes/notification-event.ts";
import { sql } from "#service/db/sql.ts";
import { removeOldRows } from "#service/pruning.ts";
import { type DeliveryWorld, minutes, openDeliveryWorld } from "#service/testing/delivery-world.ts";
import { STREAMER } from "#service/testing/test-service.ts";

let world: DeliveryWorld;
beforeEach(async () => {
  world = await openDeliveryWorld();
});
afterEach(() => world.close());

/** A failed upload; `cause` as in its failure class. */
const fail = (title: string, cause: EventCause = "try_later") =>
  world.note({ type: "upload_failed", cause, title });

test("only administrators with the required permission are notified of an event", async () => {
  const reader = await world.signInWith(STREAMER, ["read:users"]);
  const outsider = await world.signIn("1003");
  await world.happen("Nobody with read:users alone hears of uploads");
  await world.happen("But of administrators everyone does", "administrator_changed");
  expect(await world.unreadOf(world.admin)).toBe(2);
  expect(await world.unreadOf(reader)).toBe(1);
  expect((await outsider.call("GET", browserNotifications.path)).status).toBe(403);
});

test("permission changes and bans notify every administrator except the one who made them", async () => {
  const { database } = world.platform;
  const bystander = await world.signInWith(STREAMER, ["read:uploads"]);
  await world.signIn("1003");
  await world.signInWith("1004", ["read:users"]);
  await database.run(sql`UPDATE users SET banned_at = 1 WHERE id = '1004'`);
  const change = (method: string, path: string, body?: unknown) =>
    world.admin.call(method, `/admin/users/1003/${path}`, body === undefined ? {} : { body });
  expect((await change("PUT", "permissions", { permissions: ["read:system"] })).status).toBe(200);
  expect((await change("POST", "ban")).status).toBe(200);
  expect((await change("POST", "unban")).status).toBe(200);
  await world.fanOut();
  const told = await database.all(sql`
    SELECT d.receiver AS user_id, e.title FROM notification_deliveries d
    JOIN notification_events e ON e.seq = d.event_seq ORDER BY d.seq`);
  const titles = ["Permissions of", "was banned", "ban of"];
  expect(told.filter((row) => row.user_id === STREAMER)).toEqual(
    titles.map((title) => ({ user_id: STREAMER, title: expect.stringContaining(title) })),
  );
  expect(new Set(told.map((row) => row.user_id))).toEqual(new Set([STREAMER, "1003"]));
  expect(await world.unreadOf(bystander)).toBe(3);
  expect(await world.unreadOf(world.admin)).toBe(0);
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
    await world.choose(reader, ["browser", "telegram"], "user_banned");
    expect(PAGES).toEqual(Object.keys(LINKED_PAGES));
    const open: string[] = [];
    for (const page of PAGES) {
      const asks = LINKED_PAGES[page];
      const link =
        page === "/watch" || page === "/channels"
          ? (`${page}/x` as const)
          : (`${page}?search=x` as const);
      if (asks === null || asks === held) open.push(link);
      await world.note({ type: "user_banned", title: page, link });
      await world.fanOut();
      await world.deliverTelegram();
    }
    const bell = (await reader.expect(browserNotifications)).notifications;
    expect(bell.map(({ title }) => title).toReversed()).toEqual(PAGES);
    expect(bell.flatMap(({ link }) => link ?? []).toReversed()).toEqual(open);
    const sent = world.dana.messages.map(({ text }) => text);
    expect(sent).toHaveLength(PAGES.length);
    expect(sent.flatMap((text) => /http:\/\/localhost:8787(\S+)/.exec(text)?.[1] ?? [])).toEqual(
      open,
    );
  },
);

test("failures of one cause within ten minutes become one entry and two messages", async () => {
  await world.choose(world.admin, ["browser", "telegram", "email"], "upload_failed");
  await fail("First");
  await world.fanOut();
  await world.deliver();
  expect(world.dana.messages).toHaveLength(1);
  const [entry] = (await world.admin.expect(browserNotifications)).notifications;
  if (entry === undefined) throw new Error("The bell is empty");
  await world.admin.expect(markNotificationsRead, undefined, {
    body: { notificationIds: [entry.id] },
  });
  for (let minute = 1; minute < 10; minute += 1) {
    world.clock.advance(minutes(1));
    for (let count = 0; count < 7; count += 1) await fail(`Of minute ${minute}`);
    // Two dispatchers find the same events.
    await Promise.all([world.fanOut(), world.fanOut()]);
    await world.deliver();
  }
  await fail("Of another cause", "storage");
  await world.fanOut();
  await world.deliver();
  expect(world.dana.messages).toHaveLength(2);
  world.clock.advance(minutes(1));
  await world.deliver();
  await fail("After the window");
  await world.fanOut();
  await world.deliver();

  const link = "http://localhost:8787/uploads/failed?cause=try_later";
  const many = "[PREVIEW] 63 uploads failed: the source was unavailable";
  expect(world.dana.messages.map(({ text }) => text.split("\n")[0])).toEqual([
    "[PREVIEW] First",
    "[PREVIEW] Of another cause",
    many,
    "[PREVIEW] After the window",
  ]);
  expect(world.dana.messages[2]?.text).toBe(
    `${many}\nThe first: Of minute 1\nThe source is gone.\n\n${link}`,
  );
  expect(world.mail.mails.map(({ subject }) => subject)[2]).toBe(many);
  const bell = await world.admin.expect(browserNotifications);
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
  await world.choose(world.admin, ["telegram"], "upload_failed");
  world.telegram.addFault({ status: 502, times: 1 });
  for (const title of ["One", "Two", "Three"]) {
    await fail(title);
    await world.fanOut();
    await world.deliverTelegram();
  }
  expect((await world.log()).map(({ title, status }) => `${title} ${status}`)).toEqual([
    "2 uploads failed: the source was unavailable pending",
    "One pending",
  ]);
  world.clock.advance(minutes(10));
  await world.deliverTelegram();
  expect(world.dana.messages).toHaveLength(2);
});

test("prunes old events with their deliveries, except events that are not fanned out yet", async () => {
  await world.happen("Old");
  await world.note({ title: "Waiting" }, 0);
  world.clock.advance(91 * 24 * 60 * minutes(1));
  const { database } = world.platform;
  await database.batch(removeOldRows(world.clock.now()));
  const rows = await database.all(sql`SELECT title FROM notification_events`);
  expect(rows.map(({ title }) => title)).toEqual(["Waiting"]);
  expect(await database.all(sql`SELECT seq FROM notification_deliveries`)).toEqual([]);
});

test("an event that waits is spread, also if a test was sent before it", async () => {
  await world.choose(world.admin, ["browser"]);
  await world.note({ title: "Waiting" });
  await world.admin.expect(notifications.testEvent, "/admin/notifications/test/consent_changed");
  await world.fanOut();
  expect((await world.admin.expect(browserNotifications)).notifications).toHaveLength(2);
});
