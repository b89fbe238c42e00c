import { type UserId, userIdSchema } from "#contract/ids.ts";
import type { ServiceContext } from "#service/context.ts";
import { JOB_KINDS } from "#service/jobs/job-kinds.ts";
import type { JobHandler } from "#service/jobs/job-runner.ts";
import { advanced, again, type Job, keep, later } from "#service/jobs/jobs.ts";
import type { Statement } from "#service/ports/database.ts";
import { DeliveryError, type ChannelSender, type OutgoingMessage } from "./channel.ts";
import {
  type DueDeliveries,
  type DueEntry,
  holdChannel,
  markBegun,
  markEnded,
  nextDelivery,
  readDue,
} from "./delivery-store.ts";
import { oneLine } from "./message-text.ts";
import { readPreferences } from "./preference-store.ts";

/** A channel that is not set up any more. */
const UNAVAILABLE_FOR_MS = 300_000;

type DeliveryContext = Pick<ServiceContext, "platform" | "settings" | "log">;

/**
 * Sends the due messages of one channel to one person, whose id is the job's key, one at a time. Each
 * channel is a kind of its own, so a slow or dead one delays no other.
 */
export function deliveryJob(context: DeliveryContext, sender: ChannelSender): JobHandler {
  const { platform, log } = context;
  const { database, clock, telemetry } = platform;
  const { channel } = sender;

  /** Returns false after the end of the job. */
  async function send(job: Job, due: DueDeliveries, userId: UserId): Promise<boolean> {
    const seqs = seqsOf(due.entries);
    await keep(platform, job, [markBegun(seqs)]);
    const error = await trySend(context, sender, userId, due);
    const outcome = error === null ? "delivered" : error.kind === "refused" ? "failed" : "retried";
    telemetry?.deliveryEnded(channel, outcome);
    if (error === null) {
      await keep(platform, job, [markEnded(seqs, "delivered", null, clock.now()), advanced(job)]);
      return true;
    }
    log.warn("A notification was not delivered", {
      channel,
      deliveries: seqs,
      reason: error.message,
    });
    const after = afterFailure(sender, due.entries, error, clock.now());
    if (error.kind === "refused") await keep(platform, job, [...after, advanced(job)]);
    else await again(platform, job, error, after);
    return error.kind === "refused";
  }

  return {
    async run(job, signal) {
      if (sender.unavailableReason !== null) {
        await later(platform, job, clock.now() + UNAVAILABLE_FOR_MS);
        return;
      }
      const userId = userIdSchema.parse(job.key);
      let current = job;
      while (!signal.aborted) {
        const due = await readDue(database, channel, userId, clock.now());
        if (due === null) break;
        if (!(await send(current, due, userId))) return;
        current = { ...job, attempts: 1 };
      }
      await later(platform, job, nextDelivery(channel, userId, clock.now()));
    },
  };
}

async function trySend(
  context: DeliveryContext,
  sender: ChannelSender,
  userId: UserId,
  due: DueDeliveries,
): Promise<DeliveryError | null> {
  if (!due.isAdmin) return new DeliveryError("refused", "No longer an administrator.");
  const preferences = await readPreferences(context.platform.database, userId);
  const address = sender.addressOf(preferences);
  if (address === null) return new DeliveryError("refused", sender.addressMissing);
  try {
    await sender.send(address, composeMessage(due, context.settings.CONSOLE_URL[0]));
    return null;
  } catch (error) {
    if (error instanceof DeliveryError) return error;
    throw error;
  }
}

/** A single event is sent as it is; for a bundle, the titles are listed. */
function composeMessage({ entries }: DueDeliveries, consoleUrl: string): OutgoingMessage {
  const [first] = entries;
  if (first === undefined) throw new Error("Nothing is due");
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
  entries: readonly DueEntry[],
  error: DeliveryError,
  nowMs: number,
): Statement[] {
  const { maxAttempts } = JOB_KINDS[sender.channel];
  const isOver = ({ attempts }: DueEntry) => error.kind === "refused" || attempts >= maxAttempts;
  const over = entries.filter(isOver);
  const others = entries.filter((entry) => !isOver(entry));
  return [
    ...(over.length > 0 ? [markEnded(seqsOf(over), "failed", error.message)] : []),
    ...(others.length > 0 ? [markEnded(seqsOf(others), "pending", error.message)] : []),
    ...(error.retryAfterMs === null
      ? []
      : [holdChannel(sender.channel, nowMs + error.retryAfterMs)]),
  ];
}

function seqsOf(entries: readonly DueEntry[]): number[] {
  return entries.map(({ seq }) => seq);
}
