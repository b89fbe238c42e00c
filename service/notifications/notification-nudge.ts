import type { Platform } from "#service/platform.ts";

/** The hub topic that wakes the dispatcher. */
export const OUTBOX_TOPIC = "notifications:outbox";

/**
 * Says that the outbox holds something new, after the batch that put it there. Only a hint: without
 * it the dispatcher finds the event on its next round.
 */
export async function nudgeNotifications(platform: Pick<Platform, "hub">): Promise<void> {
  await platform.hub.publish(OUTBOX_TOPIC, "");
}
