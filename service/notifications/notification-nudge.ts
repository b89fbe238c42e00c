import type { Platform } from "#service/platform.ts";

/** The hub topic that wakes the dispatcher. */
export const OUTBOX_TOPIC = "notifications:outbox";

/**
 * Announces new events in the outbox; call after the batch that added them. This is only a hint:
 * without it the dispatcher finds the event in its next round.
 */
export async function nudgeNotifications(platform: Pick<Platform, "hub">): Promise<void> {
  await platform.hub.publish(OUTBOX_TOPIC, "");
}
