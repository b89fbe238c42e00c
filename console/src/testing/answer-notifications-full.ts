import { browserNotifications } from "#contract/browser-notifications.ts";
import { EVENT_TYPES } from "#contract/notification-events.ts";
import { notificationConfig, notificationEvents } from "#contract/notifications.ts";
import { ago } from "./ago.ts";
import { answerNotifications, CONFIG } from "./answer-notifications.ts";
import type { scriptService } from "./scripted-service.ts";

/** Answers with all event types, deliveries and an unread notification. */
export function answerNotificationsFull(service: ReturnType<typeof scriptService>): void {
  const { answer } = service;
  answerNotifications(service);
  answer(notificationConfig, () => ({
    ...CONFIG,
    eventTypes: EVENT_TYPES.map((type, index) => ({
      type,
      label: type.charAt(0).toUpperCase() + type.slice(1).replaceAll("_", " "),
      description: "Something happened that an administrator may want to know at once.",
      severity: (["critical", "high", "medium", "low"] as const)[index % 4] ?? "low",
    })),
  }));
  answer(notificationEvents, () => ({
    events: (["pending", "delivered", "failed"] as const).map((status, index) => ({
      id: status,
      type: "upload_failed" as const,
      severity: "high" as const,
      title: "Upload failed: failed-for-now.ts",
      body: "Twitch was unavailable.",
      channel: (["browser", "telegram", "email"] as const)[index] ?? "browser",
      status,
      attempts: index,
      error: status === "failed" ? "The mail server refused the recipient." : null,
      createdAt: ago(5 + index * 60),
      deliveredAt: status === "delivered" ? ago(60) : null,
    })),
    total: 3,
  }));
  answer(browserNotifications, () => ({
    notifications: [
      {
        id: "n1",
        type: "upload_failed",
        severity: "high",
        title: "Upload failed: failed-for-now.ts",
        body: "Twitch was unavailable.",
        link: "/uploads/failed",
        createdAt: ago(5),
      },
    ],
    unread: 1,
  }));
}
