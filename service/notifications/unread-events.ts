import * as z from "zod/mini";
import type { LiveHub } from "#service/ports/live-hub.ts";
import type { Platform } from "#service/platform.ts";

const UNREAD_TOPIC = "unread-notifications";

const unreadSchema = z.object({ userId: z.string(), unread: z.int() });
export type UnreadChange = z.infer<typeof unreadSchema>;

/** Sends a user's open upload streams the number of unread notifications. */
export async function publishUnread(
  platform: Pick<Platform, "hub">,
  change: UnreadChange,
): Promise<void> {
  await platform.hub.publish(UNREAD_TOPIC, JSON.stringify(change));
}

export async function onUnread(
  hub: LiveHub,
  listener: (change: UnreadChange) => void,
): Promise<{ unsubscribe: () => void }> {
  return await hub.subscribe(UNREAD_TOPIC, null, (event) => {
    listener(unreadSchema.parse(JSON.parse(event.data)));
  });
}
