import { host } from "#host-under-test";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EVENT_TYPES } from "#contract/notification-events.ts";
import * as calls from "#contract/webhooks.ts";
import { notificationEventIf } from "#service/changes/notification-event.ts";
import { sql } from "#service/db/sql.ts";
import { runDue } from "#service/jobs/job-runner.ts";
import { fanOutEvents } from "#service/notifications/outbox.ts";
import { createKeyring } from "#service/secrets/keyring.ts";
import { createSecretCipher, type SecretCipher } from "#service/secrets/secret-cipher.ts";
import { addressOf } from "#service/testing/call-address.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import {
  ADMIN,
  startTestService,
  STREAMER,
  type TestService,
} from "#service/testing/test-service.ts";
import { createWriteMeeting, type WriteMeeting } from "#service/testing/write-meeting.ts";
import { steerReceiver } from "#stand-ins/receiver/steer-receiver.ts";
import { readDueEvent, webhookJob } from "./webhook-queue.ts";
import { createWebhookSender, type WebhookSender } from "./webhook-sender.ts";
import { renewSecrets } from "./webhook-secrets.ts";

let receiver: ReturnType<typeof steerReceiver> & { url: string; close(): Promise<void> };
let world: TestService;
let meeting: WriteMeeting;
let admin: TestClient;
let cipher: SecretCipher;
let sender: WebhookSender;

beforeEach(async () => {
  const started = await host.startReceiver();
  receiver = { ...started, ...steerReceiver(started.url) };
  world = await startTestService({
    settings: { WEBHOOK_HOSTS: new URL(receiver.url).host },
    changePlatform(platform) {
      meeting = createWriteMeeting(platform.database);
      return { ...platform, database: meeting.database };
    },
  });
  admin = await world.signIn(ADMIN);
  cipher = await createSecretCipher(createKeyring(world.settings), world.platform.random);
  sender = createWebhookSender(world.context, cipher);
});
afterEach(async () => {
  await world.close();
  await receiver.close();
});

const events = ["consent_changed"] as const;

async function make(path: string, format: calls.WebhookFormat = "standard", client = admin) {
  const body = {
    name: path.slice(0, 4),
    format,
    url: `${receiver.url}/${path}`,
    events: [...events],
  };
  return await client.expect(calls.makeWebhook, undefined, { body });
}

async function happen(title: string): Promise<void> {
  const event = { type: events[0], subject: "u1", title, body: "It.", link: "/files" } as const;
  await world.platform.database.run(notificationEventIf(event, world.clock.now(), sql`TRUE`));
  await fanOutEvents(world.platform, []);
}

async function deliver(by = sender) {
  await runDue(world.context, "webhook", webhookJob(world.context, by), 100);
}
const received = async () => (await receiver.state()).received;
const titlesAt = async (path: string) =>
  (await received())
    .filter((each) => each.path === path)
    .map(({ body }) => /"title":"([^"]*)"/.exec(body)?.[1]);
/** Waits until one request is held, and every other delivery of that round has ended. */
async function onlyOneIsHeld() {
  const leased = sql`SELECT key FROM jobs WHERE lease_until IS NOT NULL`;
  await expect
    .poll(async () => ({
      heldCount: (await receiver.state()).heldCount,
      leasedCount: (await world.platform.database.all(leased)).length,
      titles: await titlesAt("/live"),
    }))
    .toEqual({ heldCount: 1, leasedCount: 1, titles: ["Zero", "One"] });
}
const list = async () => (await admin.expect(calls.listWebhooks)).webhooks;
const logOf = (id: string) =>
  admin.expect(calls.webhookDeliveries, addressOf(calls.webhookDeliveries, { id }));

test("a signature verifies with the newest secret alone, and the database holds none", async () => {
  const { webhook, secret } = await make("hook?token=bonnet");
  const rotated = await admin.expect(
    calls.rotateWebhookSecret,
    addressOf(calls.rotateWebhookSecret, { id: webhook.id }),
  );
  await happen("Channel agreed");
  await deliver();
  const [first] = await received();
  const headers = { ...first?.headers };
  expect(new Webhook(rotated.secret).verify(first?.body ?? "", headers)).toMatchObject({
    type: "consent_changed",
    data: { title: "Channel agreed", url: "http://localhost:8787/files", isTest: false },
  });
  const earlier = new Webhook(secret ?? "");
  expect(() => earlier.verify(first?.body ?? "", headers)).toThrow(/signature/);

  const rows = await world.platform.database.all(sql`SELECT * FROM webhooks, audit`);
  const texts = JSON.stringify([rows, await list()]);
  for (const hidden of ["bonnet", secret?.slice(6) ?? "", rotated.secret.slice(6)])
    expect(texts).not.toContain(hidden);
});

test("after three days without an answer, each event arrives once and in order; other webhooks do not wait", async () => {
  await make("dead");
  await make("live");
  const titles = ["Zero"];
  await happen("Zero");
  // What was never delivered to shares a place.
  for (let round = 0; round < 2; round += 1) await deliver();
  await receiver.answer({ path: "/dead", status: 503 });
  for (let halfHour = 0; halfHour < 144; halfHour += 1) {
    if (halfHour % 16 === 0) {
      titles.push(`Event ${halfHour}`);
      await happen(`Event ${halfHour}`);
    }
    await Promise.all([deliver(), deliver()]);
    expect(await titlesAt("/live")).toEqual(titles);
    world.clock.advance(30 * 60_000);
  }
  admin = await world.signIn(ADMIN);
  expect((await list()).map(({ pending }) => pending)).toEqual([titles.length - 1, 0]);
  await receiver.answer();
  // A slow machine may need a round for each.
  for (const _title of titles) await Promise.all([deliver(), deliver()]);
  expect(await titlesAt("/dead")).toEqual(titles);
  expect(new Set((await received()).map(({ headers }) => headers["webhook-id"])).size).toBe(
    titles.length,
  );

  await receiver.answer({ path: "/dead", status: 500 });
  await happen("Lost");
  const id = (await list())[0]?.id ?? "";
  for (let hour = 0; hour < 75; hour += 1) {
    await deliver();
    world.clock.advance(3_600_000);
  }
  admin = await world.signIn(ADMIN);
  const [lost] = (await logOf(id)).deliveries;
  expect(lost).toMatchObject({ status: "failed", result: "The receiver failed (HTTP 500)." });
});

test("an event that is refused for an hour in a row lets the next ones pass", async () => {
  const { webhook } = await make("hook");
  await happen("Refused");
  await happen("Accepted");
  const statusesAfter = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 10) {
      await deliver();
      world.clock.advance(600_000);
    }
    admin = await world.signIn(ADMIN);
    return (await logOf(webhook.id)).deliveries.map((each) => each.status).toReversed();
  };
  for (const [status, minutes] of [
    [422, 50],
    [503, 70],
    [401, 600],
    [424, 600],
    [422, 50],
  ] as const) {
    await receiver.answer({ status });
    expect(await statusesAfter(minutes)).toEqual(["pending", "pending"]);
  }
  await receiver.answer({ bodyIncludes: "Refused", status: 422 });
  let statuses: readonly string[] = ["pending"];
  while (statuses[0] === "pending") statuses = await statusesAfter(10);
  // At once: the receiver works.
  expect(statuses).toEqual(["failed", "delivered"]);
  const refused = (await logOf(webhook.id)).deliveries[1];
  expect(refused?.result).toBe("The receiver does not accept the event (HTTP 422).");
});

test("a receiver that does not answer delays no other", async () => {
  await make("hung");
  await make("live");
  await happen("Zero");
  await deliver();
  await receiver.answer({ path: "/hung", status: 204, how: "held" });
  await happen("One");
  const first = deliver();
  await onlyOneIsHeld();
  await happen("Two");
  await deliver();
  expect(await titlesAt("/live")).toEqual(["Zero", "One", "Two"]);
  await receiver.answer();
  await first;
  await deliver();
  expect(await list()).toMatchObject([{ pending: 0 }, { pending: 0 }]);
  expect(await titlesAt("/hung")).toEqual(["Zero", "One", "Two"]);
});

test("five receivers that never answered keep one place, and delay no other", async () => {
  await make("live");
  await happen("Zero");
  await deliver();
  for (let count = 0; count < 5; count += 1) await make("mute");
  await receiver.answer({ path: "/mute", status: 204, how: "held" });
  await happen("One");
  const first = deliver();
  await onlyOneIsHeld();
  await happen("Two");
  await deliver();
  expect(await titlesAt("/live")).toEqual(["Zero", "One", "Two"]);
  expect((await receiver.state()).heldCount).toBe(1);
  await receiver.answer();
  await first;
  for (let count = 0; count < 5; count += 1) await deliver();
  expect((await list()).map(({ pending }) => pending)).toEqual([0, 0, 0, 0, 0, 0]);
});

test("an answer's body that does not end delays nothing", async () => {
  const { webhook } = await make("hook");
  await receiver.answer({ status: 200, how: "unended" });
  await happen("One");
  const due = await readDueEvent(world.platform.database, webhook.id);
  if (due === null) throw new Error("Nothing is due");
  const attempt = await sender.send(due.target, due.event, 600_000);
  expect(attempt.isDelivered).toBe(true);
});

test.each([
  [{ status: 410 }, /gone \(HTTP 410\)/, false],
  [{ status: 307 }, /redirects \(HTTP 307\), which is not followed/, true],
  [{ status: 401 }, /refuses access \(HTTP 401\)/, true],
  [{ status: 405 }, /refuses the request \(HTTP 405\)/, true],
  [{ status: 503, headers: { "retry-after": "45" } }, /\(HTTP 503\)\. It asks to wait 45 s/, true],
  [{ status: 500, how: "endless" }, /failed \(HTTP 500\)/, true],
  [{ status: 204, how: "cut" }, /closed the connection without an answer/, true],
  // Apprise API for a key without a configuration.
  [{ status: 204 }, /no configuration for the address's key/, true],
] as const)("an answer of %j is recorded in words", async (answer, sentence, isEnabled) => {
  const { webhook } = await make("hook", "apprise");
  await receiver.answer(answer);
  const { status } = answer;
  const tested = await admin.expect(
    calls.testWebhook,
    addressOf(calls.testWebhook, { id: webhook.id }),
  );
  expect(tested).toMatchObject({
    isDelivered: false,
    status: "how" in answer && answer.how === "cut" ? null : status,
    answer: status === 204 ? "" : "x".repeat(500),
  });
  expect(tested.result).toMatch(sentence);
  await happen("One");
  await happen("Two");
  await deliver();
  const [changed] = await list();
  expect(changed).toMatchObject({ isEnabled, pending: isEnabled ? 2 : 0 });
  expect(changed?.lastAttempt?.result).toMatch(sentence);
  expect((changed?.offReason ?? "") === "").toBe(isEnabled);
});

test("of two changes of what was seen, or at the same time, one is refused", async () => {
  const { webhook } = await make("hook");
  const { name, isEnabled } = webhook;
  const change = async (next: object, replaces?: object) => {
    const body = { name, events, isEnabled, ...next, ...(replaces && { replaces }) };
    return (await admin.send("PUT", `/admin/webhooks/${webhook.id}`, { body })).status;
  };
  const seen = { name, events, isEnabled };
  expect(await change({ isEnabled: false }, seen)).toBe(200);
  expect(await change({ events: ["upload_failed"] }, seen)).toBe(409);
  meeting.gather(2, /UPDATE webhooks/);
  const pair = ["a", "b"].map((each) => change({ name: each }));
  expect((await Promise.all(pair)).toSorted((a, b) => a - b)).toEqual([200, 409]);
});

test("nobody makes a webhook for events that they may not be told of", async () => {
  const limited = await world.signInWith(STREAMER, ["read:system", "write:system"]);
  const body = {
    name: "a",
    format: "standard",
    url: `${receiver.url}/a`,
    events: [...EVENT_TYPES],
  };
  expect((await limited.send("POST", "/admin/webhooks", { body })).status).toBe(403);
  const { webhook } = await make("hook");
  await happen("Secret title");
  const { deliveries } = await limited.expect(
    calls.webhookDeliveries,
    addressOf(calls.webhookDeliveries, { id: webhook.id }),
  );
  expect(deliveries).toMatchObject([{ title: null, type: "consent_changed" }]);
  const { id } = webhook;
  const changed = { name: "a", events: [...events], isEnabled: false };
  const change = async (wanted: object) =>
    (await limited.send("PUT", `/admin/webhooks/${id}`, { body: wanted })).status;
  expect(await change({ ...changed, url: `${receiver.url}/b` })).toBe(403);
  expect(await change({ ...changed, events: [...events, "upload_failed"] })).toBe(403);
  for (const call of [calls.rotateWebhookSecret, calls.testWebhook]) {
    const address = addressOf(call, { id });
    expect((await limited.send("POST", address)).status).toBe(403);
  }
  expect(await change(changed)).toBe(200);
});

test("what SECRET_KEY_PREVIOUS encrypted is encrypted again, and sent; what no key opens switches off", async () => {
  await make("hook");
  const SECRET_KEY = "0123456789abcdef0123456789abcdef";
  const settings = { SECRET_KEY, SECRET_KEY_PREVIOUS: world.settings.SECRET_KEY };
  const both = await createSecretCipher(createKeyring(settings), world.platform.random);
  await happen("One");
  await deliver(createWebhookSender(world.context, both));
  await renewSecrets(world.context, both);
  const current = createKeyring({ SECRET_KEY, SECRET_KEY_PREVIOUS: undefined });
  const only = await createSecretCipher(current, world.platform.random);
  await happen("Two");
  await deliver(createWebhookSender(world.context, only));
  expect(await titlesAt("/hook")).toEqual(["One", "Two"]);
  await happen("Three");
  await deliver();
  const offReason = expect.stringContaining("SECRET_KEY was replaced");
  expect(await list()).toMatchObject([{ isEnabled: false, offReason }]);
});
