import * as z from "zod/mini";
import type { LiveHub } from "#service/ports/live-hub.ts";
import type { Platform } from "#service/platform.ts";

const SESSIONS_TOPIC = "sessions";

const rightsChangedSchema = z.object({ userId: z.string() });

/**
 * Notifies all processes that a user's sessions or rights changed, so that open streams are
 * rechecked immediately instead of at the next heartbeat. Call it after the change.
 */
export async function publishRightsChanged(
  platform: Pick<Platform, "hub">,
  userId: string,
): Promise<void> {
  await platform.hub.publish(SESSIONS_TOPIC, JSON.stringify({ userId }));
}

export async function onRightsChanged(
  hub: LiveHub,
  listener: (userId: string) => void,
): Promise<{ unsubscribe: () => void }> {
  return await hub.subscribe(SESSIONS_TOPIC, null, (event) => {
    listener(rightsChangedSchema.parse(JSON.parse(event.data)).userId);
  });
}
