import type { EventType } from "#contract/notification-events.ts";
import type { Channel } from "#contract/notifications.ts";
import type { UserId } from "#contract/ids.ts";
import { auditEntry } from "#service/changes/audit-entry.ts";
import { TEST_PREFIX } from "#service/changes/notification-event.ts";
import type { Actor } from "#service/http/route.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { ApiError } from "#service/api-error.ts";
import type { Statement } from "#service/ports/database.ts";
import { publishInbox } from "./browser-inbox.ts";
import { DeliveryError, type ChannelSender, type OutgoingMessage } from "./channel.ts";
import { holdChannel, readHeldUntil } from "./delivery-store.ts";
import { EVENT_TYPE_INFO } from "./event-types.ts";
import { isAvailable, TEST_CAUSE } from "./outbox.ts";
import { isContactOfOthers, readPreferences } from "./preference-store.ts";
import { takeTest } from "./test-limit.ts";

/** A chosen channel on which the tester has an address. */
type TestTarget = {
  readonly channel: Channel;
  /** As {@link sendNow}. */
  readonly send: (message: OutgoingMessage) => Promise<string | null>;
};

type TestOutcome = { readonly channel: Channel; readonly error: string | null };

/**
 * Sends a test of one event to all of the tester's enabled channels in parallel.
 *
 * @throws {ApiError} `conflict` when no channel can be used, `rate_limited` above the limit on
 * tests, `upstream_error` when one of the chosen channels fails, with advice for each.
 */
export async function sendEventTest(
  context: ServiceContext,
  senders: readonly ChannelSender[],
  tester: Actor,
  type: EventType,
): Promise<Channel[]> {
  const { targets, obstacles } = await readTargets(context, senders, tester.actorId, type);
  await takeTest(context, tester.actorId);
  const message = testMessage(context, EVENT_TYPE_INFO[type].label);
  const outcomes = await Promise.all(
    targets.map(async ({ channel, send }) => ({ channel, error: await send(message) })),
  );
  await recordTest(context, tester, type, message, outcomes);
  return requireDelivered(outcomes, obstacles);
}

/**
 * Sends a test to a Telegram user id before it is saved as the tester's contact.
 *
 * @throws {ApiError} `conflict` when it is the contact of others only
 */
export async function sendTelegramTest(
  context: ServiceContext,
  sender: ChannelSender,
  tester: Actor,
  telegramUserId: string,
): Promise<Channel[]> {
  if (sender.unavailableReason !== null)
    throw new ApiError("unavailable", sender.unavailableReason);
  const { database, clock } = context.platform;
  if (await isContactOfOthers(database, tester.actorId, telegramUserId))
    throw new ApiError("conflict", "Another administrator has saved this Telegram user ID.");
  await takeTest(context, tester.actorId);
  const message = testMessage(context, "Telegram");
  const error = await sendNow(context, sender, telegramUserId, message);
  await database.run(auditTest(tester, "telegram", [{ channel: "telegram", error }], clock.now()));
  return requireDelivered([{ channel: "telegram", error }], []);
}

async function readTargets(
  context: ServiceContext,
  senders: readonly ChannelSender[],
  userId: UserId,
  type: EventType,
): Promise<{ targets: TestTarget[]; obstacles: string[] }> {
  const preferences = await readPreferences(context.platform.database, userId);
  const chosen = preferences.enabledEvents[type] ?? [];
  if (chosen.length === 0) {
    throw new ApiError(
      "conflict",
      "No channel is switched on for this event. Switch one on and save, then test again.",
    );
  }
  const targets: TestTarget[] = [];
  const obstacles: string[] = [];
  for (const channel of chosen) {
    if (channel === "browser") {
      targets.push({ channel, send: async () => null });
      continue;
    }
    const sender = senders.find((candidate) => candidate.channel === channel);
    const address = sender?.addressOf(preferences) ?? null;
    if (sender === undefined) continue;
    if (!isAvailable(channel, senders)) obstacles.push(sender.unavailableReason ?? "");
    else if (address === null) obstacles.push(sender.addressMissing);
    else targets.push({ channel, send: (message) => sendNow(context, sender, address, message) });
  }
  if (targets.length === 0) throw new ApiError("conflict", obstacles.join(" "));
  return { targets, obstacles };
}

/** Null when the provider has accepted the message, else the error for the tester. */
async function sendNow(
  { platform }: ServiceContext,
  sender: ChannelSender,
  address: string,
  message: OutgoingMessage,
): Promise<string | null> {
  const { database, clock } = platform;
  const heldForMs = (await readHeldUntil(database, sender.channel)) - clock.now();
  if (heldForMs > 0) {
    return `${sender.label} asks us to wait ${Math.ceil(heldForMs / 1_000)} s before the next message.`;
  }
  try {
    await sender.send(address, message);
    return null;
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    if (error.retryAfterMs !== null) {
      await database.run(holdChannel(sender.channel, clock.now() + error.retryAfterMs));
    }
    return error.message;
  }
}

function testMessage({ platform, settings }: ServiceContext, subject: string): OutgoingMessage {
  return {
    deliveryId: `${TEST_PREFIX}${platform.clock.now()}-${platform.random.bytes(6).join("")}`,
    title: `Test: ${subject}`,
    body: "This is a test message. Nothing has happened, and this channel works.",
    url: `${settings.CONSOLE_URL[0]}/notifications`,
  };
}

/** Records a test in the bell and the delivery log, like a real event. */
async function recordTest(
  { platform }: ServiceContext,
  tester: Actor,
  type: EventType,
  message: OutgoingMessage,
  outcomes: readonly TestOutcome[],
): Promise<void> {
  const nowMs = platform.clock.now();
  await platform.database.batch([
    sql`INSERT INTO notification_events
          (type, cause, subject, title, body, link, created_at, dispatched_at)
        VALUES (${type}, ${TEST_CAUSE}, ${message.deliveryId}, ${message.title}, ${message.body},
          '/notifications', ${nowMs}, ${nowMs})`,
    ...outcomes.map(
      ({ channel, error }) => sql`
        INSERT INTO notification_deliveries
          (event_seq, receiver, channel, status, attempts, result, created_at, attempted_at)
        SELECT seq, ${tester.actorId}, ${channel}, ${error === null ? "delivered" : "failed"}, 1,
          ${error}, ${nowMs}, ${error === null ? nowMs : null}
        FROM notification_events WHERE subject = ${message.deliveryId} AND type = ${type}
        ORDER BY seq DESC LIMIT 1`,
    ),
    auditTest(tester, type, outcomes, nowMs),
  ]);
  if (outcomes.some(({ channel }) => channel === "browser")) {
    await publishInbox(platform, tester.actorId);
  }
}

function auditTest(
  tester: Actor,
  target: string,
  outcomes: readonly TestOutcome[],
  atMs: number,
): Statement {
  return auditEntry({
    ...tester,
    atMs: atMs,
    action: "notification.test",
    target,
    after: {
      delivered: outcomes.filter(({ error }) => error === null).map(({ channel }) => channel),
    },
  });
}

/** The message lists every channel, including those that work. */
function requireDelivered(
  outcomes: readonly TestOutcome[],
  obstacles: readonly string[],
): Channel[] {
  const delivered = outcomes.filter(({ error }) => error === null).map(({ channel }) => channel);
  const refusals = [...outcomes.flatMap(({ error }) => error ?? []), ...obstacles];
  if (refusals.length === 0) return delivered;
  const sent = delivered.map((channel) => `The ${channel} test was sent.`);
  throw new ApiError("upstream_error", [...refusals, ...sent].join(" "));
}
