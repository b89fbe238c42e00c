import { browserNotifications } from "#contract/browser-notifications.ts";
import type { EventType } from "#contract/notification-events.ts";
import * as notifications from "#contract/notifications.ts";
import {
  notificationEventIf,
  type NotificationEvent,
} from "#service/changes/notification-event.ts";
import { sql } from "#service/db/sql.ts";
import { runDue } from "#service/jobs/job-runner.ts";
import { deliveryJob } from "#service/notifications/delivery-round.ts";
import { createMessaging } from "#service/notifications/messaging.ts";
import { fanOutEvents } from "#service/notifications/outbox.ts";
import type { Platform } from "#service/platform.ts";
import { openMessageWorld } from "./message-world.ts";
import type { TestClient } from "./test-client.ts";
import { ADMIN } from "./test-service.ts";

export type DeliveryWorld = Awaited<ReturnType<typeof openDeliveryWorld>>;

export const minutes = (count: number) => count * 60_000;

/** Events, those they are announced to, and Dana, who can be written to. */
export async function openDeliveryWorld() {
  const world = await openMessageWorld();
  const { platform, telegram, clock } = world;
  const { senders } = createMessaging(world.context);
  const admin = await world.signIn(ADMIN);
  const [dana] = telegram.people.list();
  if (dana === undefined) throw new Error("The stand-in knows nobody");
  dana.hasStarted = true;

  /** As by a process that starts now. */
  async function deliverBy(changed: Platform, channel: "telegram" | "email"): Promise<void> {
    const context = { ...world.context, platform: changed };
    await runDue(context, channel, deliveryJob(context, createMessaging(context)[channel]), 100);
  }
  /** One of a type whose events are announced one by one, unless said otherwise. */
  async function note(event: Partial<NotificationEvent>, atMs = clock.now()): Promise<void> {
    const noted = {
      type: "consent_changed",
      subject: "u1",
      title: "Noted",
      body: "The source is gone.",
      link: "/uploads/failed",
      ...event,
    } as const;
    await platform.database.run(notificationEventIf(noted, atMs, sql`TRUE`));
  }
  const fanOut = () => fanOutEvents(platform, senders);

  return {
    ...world,
    admin,
    dana,
    note,
    fanOut,
    deliverBy,
    deliverTelegram: () => deliverBy(platform, "telegram"),
    deliver: () => Promise.all([deliverBy(platform, "telegram"), deliverBy(platform, "email")]),
    /** Makes Dana the client's address, for events of a type. */
    async choose(
      client: TestClient,
      channels: readonly notifications.Channel[],
      type: EventType = "consent_changed",
    ): Promise<void> {
      const preferences = {
        telegramUserId: String(dana.id),
        email: "dana@example.org",
        enabledEvents: { [type]: channels },
      };
      await client.expect(notifications.setPreferences, undefined, { body: { preferences } });
    },
    async happen(title: string, type: EventType = "consent_changed"): Promise<void> {
      await note({ type, title });
      await fanOut();
    },
    log: async () => (await admin.expect(notifications.notificationEvents)).events,
    logText: world.log,
    unreadOf: async (client: TestClient) => (await client.expect(browserNotifications)).unread,
  };
}
