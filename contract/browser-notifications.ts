import * as z from "zod/mini";
import { defineCall } from "./call.ts";
import { notificationIdSchema } from "./ids.ts";
import { eventTypeSchema, severitySchema } from "./notification-events.ts";
import { instantSchema, systemStatusSchema } from "./values.ts";

export const browserNotificationSchema = z.object({
  id: notificationIdSchema,
  type: eventTypeSchema,
  severity: severitySchema,
  title: z.string(),
  body: z.string(),
  /** The console's page for the notification. */
  link: z.nullable(z.string()),
  createdAt: instantSchema,
  read: z.boolean(),
});
export type BrowserNotification = z.infer<typeof browserNotificationSchema>;

export const browserNotifications = defineCall({
  method: "GET",
  path: "/admin/notifications/browser",
  policy: "admin",
  refusesTokens: true,
  summary: "The newest notifications of the bell, and what everyone has to know now",
  data: z.object({
    notifications: z.array(browserNotificationSchema),
    unread: z.int(),
    /** Why archives of VODs will fail, while the checks of Twitch keep failing; otherwise null. */
    twitchFault: z.nullable(z.string()),
    /** Of the service as a whole. */
    systemStatus: systemStatusSchema,
  }),
});

export const markNotificationsRead = defineCall({
  method: "POST",
  path: "/admin/notifications/browser/read",
  policy: "admin",
  refusesTokens: true,
  summary: "Mark my notifications as read; ids of other users' notifications are ignored",
  body: z.strictObject({
    notificationIds: z.array(notificationIdSchema).check(z.minLength(1), z.maxLength(1_000)),
  }),
  data: z.object({ read: z.int() }),
});
