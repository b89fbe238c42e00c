import type { ServiceContext } from "#service/context.ts";
import { DeliveryError, type ChannelSender } from "./channel.ts";
import {
  claimDelivery,
  holdChannel,
  markDelivered,
  markFailed,
  markForRetry,
  MAX_ATTEMPTS,
  pauseMs,
  type ClaimedDelivery,
} from "./delivery-store.ts";
import { readPreferences } from "./preference-store.ts";

/** A round ends after this many, so that one channel's backlog lets the process breathe. */
const MAX_SENDS_PER_ROUND = 100;

/**
 * Sends what is due over one channel, one message at a time. Each channel has rounds of its own, so
 * a slow or dead one delays no other. A round stops at the first sign that the provider is in
 * trouble; what is left stays due.
 */
export async function deliverDue(
  context: Pick<ServiceContext, "platform" | "settings" | "log">,
  sender: ChannelSender,
): Promise<void> {
  const { database, clock } = context.platform;
  if (sender.unavailableReason !== null) return;
  for (let sent = 0; sent < MAX_SENDS_PER_ROUND; sent += 1) {
    const delivery = await claimDelivery(database, sender.channel, clock.now());
    if (delivery === null) return;
    const error = await trySend(context, sender, delivery);
    if (error === null) {
      await database.run(markDelivered(delivery.seq, clock.now()));
      continue;
    }
    context.log.warn("A notification was not delivered", {
      channel: sender.channel,
      delivery: delivery.seq,
      attempts: delivery.attempts,
      reason: error.message,
    });
    await database.batch(afterFailure(sender, delivery, error, clock.now()));
    if (error.kind === "try_later") return;
  }
}

async function trySend(
  context: Pick<ServiceContext, "platform" | "settings">,
  sender: ChannelSender,
  delivery: ClaimedDelivery,
): Promise<DeliveryError | null> {
  if (!delivery.isAdmin) return new DeliveryError("refused", "No longer an administrator.");
  const preferences = await readPreferences(context.platform.database, delivery.userId);
  const address = sender.addressOf(preferences);
  if (address === null) return new DeliveryError("refused", sender.addressMissing);
  try {
    await sender.send(address, {
      deliveryId: `notification-${delivery.seq}`,
      title: delivery.title,
      body: delivery.body,
      url: delivery.link === null ? null : context.settings.CONSOLE_URL[0] + delivery.link,
    });
    return null;
  } catch (error) {
    if (error instanceof DeliveryError) return error;
    throw error;
  }
}

function afterFailure(
  sender: ChannelSender,
  { seq, attempts }: ClaimedDelivery,
  error: DeliveryError,
  nowMs: number,
) {
  if (error.kind === "refused" || attempts >= MAX_ATTEMPTS) return [markFailed(seq, error.message)];
  if (error.retryAfterMs === null) {
    return [markForRetry(seq, error.message, nowMs + pauseMs(attempts))];
  }
  const untilMs = nowMs + error.retryAfterMs;
  return [markForRetry(seq, error.message, untilMs), holdChannel(sender.channel, untilMs)];
}
