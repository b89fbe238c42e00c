import { createServer, type IncomingHttpHeaders } from "node:http";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EVENT_TYPES } from "#contract/notification-events.ts";
import * as calls from "#contract/webhooks.ts";
import { guardConnections } from "#hosts/node/guarded-connection.ts";
import { createOutgoingFetch } from "#hosts/node/outgoing-fetch.ts";
import { notificationEventIf } from "#service/changes/notification-event.ts";
import { sql } from "#service/db/sql.ts";
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
import { listen } from "#stand-ins/listen.ts";
import { createWebhookGuard } from "./webhook-address.ts";
import { createWebhookSender, type WebhookSender } from "./webhook-sender.ts";
import { deliverWebhooks, renewSecrets } from "./webhook-tasks.ts";

type Received = { path: string; headers: IncomingHttpHeaders; body: string };

let received: Received[] = [];
/** Status by path; 204 unless set, and no answer for 0. */
const statuses = new Map<string, number>();
/** Bodies that are answered with 422. */
let bodiesRefused: RegExp | null = null;
/** Answers what was left without an answer. */
let held: (() => void)[] = [];
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const path = request.url ?? "";
    const body = Buffer.concat(chunks).toString();
    const status = bodiesRefused?.test(body) === true ? 422 : (statuses.get(path) ?? 204);
    if (status === 0) {
      held.push(() => response.writeHead(204).end());
      return;
    }
    if (status < 300) received.push({ path, headers: request.headers, body });
    response.writeHead(status, { location: "/elsewhere" });
    response.end(status === 204 ? undefined : "x".repeat(9_000));
  });
});
let host = "";
/** A name with the port of the server. */
let rebound = "";
let world: TestService;
let admin: TestClient;
let cipher: SecretCipher;
let sender: WebhookSender;

beforeEach(async () => {
  host = `127.0.0.1:${await listen(server)}`;
  rebound = `rebound.example:${host.split(":")[1]}`;
  received = [];
  held = [];
  statuses.clear();
  bodiesRefused = null;
  world = await startTestService({ settings: { WEBHOOK_HOSTS: host } });
  admin = await world.signIn(ADMIN);
  cipher = await createSecretCipher(createKeyring(world.settings), world.platform.random);
  sender = createWebhookSender(world.context, cipher);
});
afterEach(async () => {
  await world.close();
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

const events = ["consent_changed"] as const;

async function make(path: string, format: calls.WebhookFormat = "standard", client = admin) {
  const body = {
    name: path.slice(0, 4),
    format,
    url: `http://${host}/${path}`,
    events: [...events],
  };
  return await client.expect(calls.makeWebhook, undefined, { body });
}

async function happen(title: string): Promise<void> {
  const event = { type: events[0], subject: "u1", title, body: "It.", link: "/files" } as const;
  await world.platform.database.run(notificationEventIf(event, world.clock.now(), sql`TRUE`));
  await fanOutEvents(world.platform, []);
}

const deliver = () => deliverWebhooks(world.context, sender);
const titlesAt = (path: string) =>
  received
    .filter((each) => each.path === path)
    .map(({ body }) => /"title":"([^"]*)"/.exec(body)?.[1]);
const list = async () => (await admin.expect(calls.listWebhooks)).webhooks;
const logOf = (id: string) =>
  admin.expect(calls.webhookDeliveries, addressOf(calls.webhookDeliveries, { id }));

test("signatures verify with either secret for a day after a rotation, and the database holds neither", async () => {
  const { webhook, secret } = await make("hook?token=bonnet");
  const rotated = await admin.expect(
    calls.rotateWebhookSecret,
    addressOf(calls.rotateWebhookSecret, { id: webhook.id }),
  );
  await happen("Channel agreed");
  await deliver();
  const [first] = received;
  const headers = Object.fromEntries(
    Object.entries(first?.headers ?? {}).map(([name, value]) => [name, String(value)]),
  );
  for (const each of [secret ?? "", rotated.secret])
    expect(new Webhook(each).verify(first?.body ?? "", headers)).toMatchObject({
      type: "consent_changed",
      data: { title: "Channel agreed", url: "http://localhost:8787/files", isTest: false },
    });
  const foreign = new Webhook(`whsec_${"A".repeat(43)}=`);
  expect(() => foreign.verify(first?.body ?? "", headers)).toThrow(/signature/);
  world.clock.advance(24 * 3_600_000);
  await happen("Channel agreed again");
  await deliver();
  expect(received[1]?.headers["webhook-signature"]).not.toContain(" ");
  admin = await world.signIn(ADMIN);

  const rows = await world.platform.database.all(sql`SELECT * FROM webhooks, audit`);
  const texts = JSON.stringify([rows, await list()]);
  for (const hidden of ["bonnet", secret?.slice(6) ?? "", rotated.secret.slice(6)])
    expect(texts).not.toContain(hidden);
});

test("after three days without an answer, each event arrives once and in order; other webhooks do not wait", async () => {
  await make("dead");
  await make("live");
  statuses.set("/dead", 503);
  const titles: string[] = [];
  for (let halfHour = 0; halfHour < 144; halfHour += 1) {
    if (halfHour % 16 === 0) {
      titles.push(`Event ${halfHour}`);
      await happen(`Event ${halfHour}`);
    }
    await Promise.all([deliver(), deliver()]);
    expect(titlesAt("/live")).toEqual(titles);
    world.clock.advance(30 * 60_000);
  }
  admin = await world.signIn(ADMIN);
  expect((await list()).map(({ pending }) => pending)).toEqual([titles.length, 0]);
  statuses.clear();
  // A slow machine may need a round for each.
  for (const _title of titles) await Promise.all([deliver(), deliver()]);
  expect(titlesAt("/dead")).toEqual(titles);
  expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(titles.length);

  statuses.set("/dead", 500);
  await happen("Lost");
  const id = (await list())[0]?.id ?? "";
  for (let hour = 0; hour < 75; hour += 1) {
    await deliver();
    world.clock.advance(3_600_000);
  }
  admin = await world.signIn(ADMIN);
  const [lost] = (await logOf(id)).deliveries;
  expect(lost).toMatchObject({ status: "failed", result: "The receiver failed (HTTP 500)." });
  statuses.clear();
  await admin.expect(calls.redeliver, addressOf(calls.redeliver, { id, eventId: lost?.id ?? "" }));
  world.clock.advance(60_000);
  await deliver();
  expect(titlesAt("/dead")).toEqual([...titles, "Lost"]);
});

test("an event that is refused for an hour in a row lets the next ones pass, and can be sent again", async () => {
  const { webhook } = await make("hook");
  await happen("Refused");
  await happen("Accepted");
  const statusFor = async (status: number, minutes: number) => {
    statuses.set("/hook", status);
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
  ] as const)
    expect(await statusFor(status, minutes)).toEqual(["pending", "pending"]);
  bodiesRefused = /"Refused"/;
  expect(await statusFor(204, 70)).toEqual(["failed", "delivered"]);
  const refused = (await logOf(webhook.id)).deliveries[1];
  expect(refused?.result).toBe("The receiver does not accept the event (HTTP 422).");
  bodiesRefused = null;
  const { id } = webhook;
  await admin.expect(
    calls.redeliver,
    addressOf(calls.redeliver, { id, eventId: refused?.id ?? "" }),
  );
  await deliver();
  expect(titlesAt("/hook")).toEqual(["Accepted", "Refused"]);
});

test("a receiver that does not answer delays no other", async () => {
  await make("hung");
  await make("live");
  statuses.set("/hung", 0);
  await happen("One");
  const first = deliver();
  await expect.poll(() => held.length).toBe(1);
  await happen("Two");
  await deliver();
  expect(titlesAt("/live")).toEqual(["One", "Two"]);
  statuses.clear();
  for (const answer of held) answer();
  await first;
  expect(await list()).toMatchObject([{ pending: 0 }, { pending: 0 }]);
  expect([held.length, titlesAt("/hung")]).toEqual([1, ["Two"]]);
});

test.each([
  [410, /gone \(HTTP 410\)/, false],
  [307, /redirects \(HTTP 307\), which is not followed/, true],
  [401, /refuses access \(HTTP 401\)/, true],
])("an answer of %d is recorded in words", async (status, sentence, isEnabled) => {
  const { webhook } = await make("hook");
  statuses.set("/hook", status);
  const tested = await admin.expect(
    calls.testWebhook,
    addressOf(calls.testWebhook, { id: webhook.id }),
  );
  expect(tested).toMatchObject({ isDelivered: false, status, answer: "x".repeat(500) });
  expect(tested.result).toMatch(sentence);
  await happen("One");
  await happen("Two");
  await deliver();
  expect(received).toEqual([]);
  const [changed] = await list();
  expect(changed).toMatchObject({ isEnabled, pending: isEnabled ? 2 : 0 });
  expect(changed?.lastAttempt?.result).toMatch(sentence);
  expect((changed?.offReason ?? "") === "").toBe(isEnabled);
  const again = await admin.send("POST", `/admin/webhooks/${webhook.id}/deliveries/1/redeliver`);
  expect(again.status).toBe(isEnabled ? 200 : 409);
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
  for (let round = 0; round < 20; round += 1) {
    const pair = ["a", "b"].map((each) => change({ name: `${each}${round}` }));
    expect((await Promise.all(pair)).toSorted((a, b) => a - b)).toEqual([200, 409]);
  }
});

/** Each name leads to this machine. */
async function deliverWith(listed: string): Promise<void> {
  const outgoing = createOutgoingFetch(
    guardConnections(createWebhookGuard([listed]), (_name, _options, found) =>
      found(null, [{ address: "127.0.0.1", family: 4 }]),
    ),
  );
  const platform = { ...world.platform, webhookFetch: outgoing.fetch };
  const context = { ...world.context, platform };
  await deliverWebhooks(context, createWebhookSender(context, cipher));
  await outgoing.close();
  world.clock.advance(60_000);
}

test("the address that a name has when it connects is checked, not an earlier one", async () => {
  const body = { name: "a", format: "apprise", url: `http://${rebound}/a`, events: [...events] };
  await admin.expect(calls.makeWebhook, undefined, { body });
  await happen("One");
  await deliverWith(host);
  const result = expect.stringMatching(/leads to 127\.0\.0\.1, which is not public/);
  expect(await list()).toMatchObject([{ pending: 1, lastAttempt: { result } }]);
  expect(received).toEqual([]);
  await deliverWith(rebound);
  expect(titlesAt("/a")).toEqual(["[PREVIEW] One"]);
});

test("nobody makes a webhook for events that they may not be told of", async () => {
  const limited = await world.signInWith(STREAMER, ["read:system", "write:system"]);
  const body = { name: "a", format: "standard", url: `http://${host}/a`, events: [...EVENT_TYPES] };
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
  expect(await change({ ...changed, url: `http://${host}/b` })).toBe(403);
  expect(await change({ ...changed, events: [...events, "upload_failed"] })).toBe(403);
  expect(await change(changed)).toBe(200);
});

test("what SECRET_KEY_PREVIOUS encrypted is encrypted again, and sent; what no key opens switches off", async () => {
  await make("hook");
  const SECRET_KEY = "0123456789abcdef0123456789abcdef";
  const settings = { SECRET_KEY, SECRET_KEY_PREVIOUS: world.settings.SECRET_KEY };
  const both = await createSecretCipher(createKeyring(settings), world.platform.random);
  await happen("One");
  await deliverWebhooks(world.context, createWebhookSender(world.context, both));
  await renewSecrets(world.context, both);
  const current = createKeyring({ SECRET_KEY, SECRET_KEY_PREVIOUS: undefined });
  const only = await createSecretCipher(current, world.platform.random);
  await happen("Two");
  await deliverWebhooks(world.context, createWebhookSender(world.context, only));
  expect(titlesAt("/hook")).toEqual(["One", "Two"]);
  await happen("Three");
  await deliver();
  const offReason = expect.stringContaining("SECRET_KEY was replaced");
  expect(await list()).toMatchObject([{ isEnabled: false, offReason }]);
});
