import type { ServiceContext } from "#service/context.ts";
import type { Statement } from "#service/ports/database.ts";
import { DeliveryError, type ChannelSender, type OutgoingMessage } from "./channel.ts";
import {
  claimDeliveries,
  holdChannel,
  markDelivered,
  markFailed,
  markForRetry,
  MAX_ATTEMPTS,
  pauseMs,
  type ClaimedDeliveries,
  type ClaimedEntry,
} from "./delivery-store.ts";
import { oneLine } from "./message-text.ts";
import { readPreferences } from "./preference-store.ts";

/** Maximum per round, so that one channel's backlog does not occupy the process. */
const MAX_SENDS_PER_ROUND = 100;

/**
 * Sends the due messages of one channel, one at a time. Each channel has its own rounds, so a slow
 * or dead one delays no other. A round stops at the first `try_later`; the rest stays due.
 */
export async function deliverDue(
  context: Pick<ServiceContext, "platform" | "settings" | "log">,
  sender: ChannelSender,
): Promise<void> {
  const { database, clock } = context.platform;
  if (sender.unavailableReason !== null) return;
  for (let sent = 0; sent < MAX_SENDS_PER_ROUND; sent += 1) {
    const claimed = await claimDeliveries(database, sender.channel, clock.now());
    if (claimed === null) return;
    const error = await trySend(context, sender, claimed);
    const outcome = error === null ? "delivered" : error.kind === "refused" ? "failed" : "retried";
    context.platform.telemetry?.deliveryEnded(sender.channel, outcome);
    if (error === null) {
      await database.run(markDelivered(seqsOf(claimed.entries), clock.now()));
      continue;
    }
    context.log.warn("A notification was not delivered", {
      channel: sender.channel,
      deliveries: seqsOf(claimed.entries),
      reason: error.message,
    });
    await database.batch(afterFailure(sender, claimed.entries, error, clock.now()));
    if (error.kind === "try_later") return;
  }
}

async function trySend(
  context: Pick<ServiceContext, "platform" | "settings">,
  sender: ChannelSender,
  claimed: ClaimedDeliveries,
): Promise<DeliveryError | null> {
  if (!claimed.isAdmin) return new DeliveryError("refused", "No longer an administrator.");
  const preferences = await readPreferences(context.platform.database, claimed.userId);
  const address = sender.addressOf(preferences);
  if (address === null) return new DeliveryError("refused", sender.addressMissing);
  try {
    await sender.send(address, composeMessage(claimed, context.settings.CONSOLE_URL[0]));
    return null;
  } catch (error) {
    if (error instanceof DeliveryError) return error;
    throw error;
  }
}

/** A single event is sent as it is; for a bundle, the titles are listed. */
function composeMessage({ entries }: ClaimedDeliveries, consoleUrl: string): OutgoingMessage {
  const [first] = entries;
  if (first === undefined) throw new Error("Nothing was claimed");
  // The time distinguishes equal numbers of two databases on one host name.
  const id = `notification-${first.seq}-${first.createdAt}`;
  if (entries.length === 1) {
    return {
      deliveryId: id,
      title: first.title,
      body: first.body,
      url: first.link === null ? null : consoleUrl + first.link,
    };
  }
  return {
    deliveryId: `${id}-and-${entries.length - 1}`,
    title: `${entries.length} notifications`,
    body: entries.map(({ title }) => `- ${oneLine(title)}`).join("\n"),
    url: `${consoleUrl}/notifications`,
  };
}

/** In a bundle, entries without attempts left fail; the others are retried together. */
function afterFailure(
  sender: ChannelSender,
  entries: readonly ClaimedEntry[],
  error: DeliveryError,
  nowMs: number,
): Statement[] {
  const isOver = ({ attempts }: ClaimedEntry) =>
    error.kind === "refused" || attempts >= MAX_ATTEMPTS;
  const over = entries.filter(isOver);
  const others = entries.filter((entry) => !isOver(entry));
  const fewestAttempts = Math.min(...others.map(({ attempts }) => attempts));
  const untilMs = nowMs + (error.retryAfterMs ?? pauseMs(fewestAttempts));
  return [
    ...(over.length > 0 ? [markFailed(seqsOf(over), error.message)] : []),
    ...(others.length > 0 ? [markForRetry(seqsOf(others), error.message, untilMs)] : []),
    ...(error.retryAfterMs === null ? [] : [holdChannel(sender.channel, untilMs)]),
  ];
}

function seqsOf(entries: readonly ClaimedEntry[]): number[] {
  return entries.map(({ seq }) => seq);
}
