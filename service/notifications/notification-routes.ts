import { browserNotifications, markNotificationsRead } from "#contract/browser-notifications.ts";
import { EVENT_TYPES } from "#contract/notification-events.ts";
import * as calls from "#contract/notifications.ts";
import { systemSetup } from "#contract/system.ts";
import { auditEntry } from "#service/changes/audit-entry.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { ServiceContext } from "#service/context.ts";
import { actorOf, principalOf, route, type Route } from "#service/http/route.ts";
import { markRead, publishInbox, readInbox } from "./browser-inbox.ts";
import { readDeliveryLog } from "./delivery-store.ts";
import { EVENT_TYPE_INFO, mayReceive } from "./event-types.ts";
import type { Messaging } from "./messaging.ts";
import { readPreferences, savePreferences } from "./preference-store.ts";
import { createAccountReader } from "./sending-account.ts";
import { readSetup } from "./setup-steps.ts";
import { sendEventTest, sendTelegramTest } from "./test-message.ts";

/** The caller's own preferences, log, bell and tests, and what a deployment still needs. */
export function notificationRoutes(context: ServiceContext, messaging: Messaging): Route[] {
  const { platform } = context;
  const { database, clock } = platform;
  const readAccount = createAccountReader(context, messaging.telegramApi);

  return [
    route(systemSetup, async ({ context: request }) => ({
      steps: await readSetup(context, messaging, principalOf(request).userId),
    })),

    route(calls.getPreferences, ({ context: request }) =>
      readPreferences(database, principalOf(request).userId),
    ),

    route(calls.setPreferences, async ({ body: { preferences }, context: request }) => {
      const { userId } = principalOf(request);
      const before = await readPreferences(database, userId);
      const nowMs = clock.now();
      await database.batch([
        savePreferences(userId, preferences, nowMs),
        auditEntry({
          ...actorOf(request),
          atMs: nowMs,
          action: "notification.preferences",
          target: userId,
          before: withoutContacts(before),
          after: withoutContacts(preferences),
        }),
      ]);
      return preferences;
    }),

    route(calls.notificationConfig, async ({ context: request }) => {
      const { permissions } = principalOf(request);
      return {
        eventTypes: EVENT_TYPES.filter((type) => mayReceive(type, permissions)).map((type) => {
          const { label, description, severity } = EVENT_TYPE_INFO[type];
          return { type, label, description, severity };
        }),
        channels: [
          { type: "browser" as const, label: "Browser", available: true },
          ...messaging.senders.map(({ channel, label, unavailableReason }) => ({
            type: channel,
            label,
            available: unavailableReason === null,
            ...(unavailableReason === null ? {} : { unavailableReason }),
          })),
        ],
        account: await readAccount(),
      };
    }),

    route(calls.notificationEvents, ({ query, context: request }) =>
      readDeliveryLog(database, principalOf(request).userId, query),
    ),

    route(browserNotifications, ({ context: request }) =>
      readInbox(context.platform, principalOf(request)),
    ),

    route(markNotificationsRead, async ({ body, context: request }) => {
      const { userId } = principalOf(request);
      const nowMs = clock.now();
      const [marked] = await database.batch(
        recordedChange(markRead(userId, body.notificationIds, nowMs), nowMs, {
          audit: { ...actorOf(request), action: "notification.read", target: userId },
        }),
      );
      const read = marked?.changes ?? 0;
      if (read > 0) await publishInbox(platform, userId);
      return { read };
    }),

    route(calls.testTelegram, async ({ body, context: request }) => ({
      delivered: await sendTelegramTest(
        context,
        messaging.telegram,
        actorOf(request),
        body.telegramUserId,
      ),
    })),

    route(calls.testEvent, async ({ params, context: request }) => ({
      delivered: await sendEventTest(context, messaging.senders, actorOf(request), params.type),
    })),
  ];
}

/**
 * Other administrators read the audit log, so it records which contacts are set, not their values.
 */
function withoutContacts(preferences: calls.NotificationPreferences) {
  return {
    hasTelegramUserId: preferences.telegramUserId !== undefined,
    hasTelegramUsername: preferences.telegramUsername !== undefined,
    hasEmail: preferences.email !== undefined,
    enabledEvents: preferences.enabledEvents,
  };
}
