import * as z from "zod/mini";
import { defineCall } from "./call.ts";
import { eventTypeSchema, severitySchema } from "./notification-events.ts";
import { instantSchema, integerParameter } from "./values.ts";

export const CHANNELS = ["browser", "telegram", "email"] as const;
export const channelSchema = z.enum(CHANNELS);
export type Channel = z.infer<typeof channelSchema>;

const distinctChannels = z.array(channelSchema).check(
  z.maxLength(CHANNELS.length),
  z.refine((list) => new Set(list).size === list.length, "must not repeat a channel"),
);

/** Text that is not a number passes, because another check refuses it. */
function fitsTelegram(text: string): boolean {
  return !(Number(text) > 2 ** 52);
}

/** Contact fields are absent when empty. */
export const notificationPreferencesSchema = z.strictObject({
  /** Telegram ids fit 52 bits (Telegram Bot API, type Chat). */
  telegramUserId: z.optional(
    z
      .string()
      .check(
        z.regex(/^[1-9]\d{0,15}$/, "must be a number, as the bot's /myid answers it"),
        z.refine(fitsTelegram, "is larger than any Telegram id"),
      ),
  ),
  telegramUsername: z.optional(
    z.string().check(z.regex(/^@?[A-Za-z0-9_]{1,32}$/, "is not a Telegram username")),
  ),
  email: z.optional(z.email("is not an email address").check(z.maxLength(254))),
  enabledEvents: z.partialRecord(eventTypeSchema, distinctChannels),
});
export type NotificationPreferences = z.infer<typeof notificationPreferencesSchema>;

export const getPreferences = defineCall({
  method: "GET",
  path: "/admin/notifications/preferences",
  policy: "admin",
  refusesTokens: true,
  summary: "My notification preferences",
  data: notificationPreferencesSchema,
});

export const setPreferences = defineCall({
  method: "PUT",
  path: "/admin/notifications/preferences",
  policy: "admin",
  refusesTokens: true,
  summary: "Replace my notification preferences",
  body: z.strictObject({ preferences: notificationPreferencesSchema }),
  data: notificationPreferencesSchema,
});

export const notificationConfig = defineCall({
  method: "GET",
  path: "/admin/notifications/config",
  policy: "admin",
  refusesTokens: true,
  summary: "Event types, channels and the account that sends",
  data: z.object({
    eventTypes: z.array(
      z.object({
        type: eventTypeSchema,
        label: z.string(),
        description: z.string(),
        severity: severitySchema,
      }),
    ),
    channels: z.array(
      z.object({
        type: channelSchema,
        label: z.string(),
        available: z.boolean(),
        unavailableReason: z.optional(z.string()),
      }),
    ),
    account: z.object({
      environment: z.string(),
      defaultAdminUser: z.nullable(z.string()),
      telegramBotId: z.nullable(z.string()),
      telegramBotName: z.nullable(z.string()),
      telegramBotStatus: z.enum(["active", "unreachable", "not_configured"]),
      /** URL that opens a chat with the bot; null without one. */
      telegramChatUrl: z.nullable(z.string()),
      messagePrefix: z.string(),
    }),
  }),
});

export const deliverySchema = z.object({
  id: z.string(),
  type: eventTypeSchema,
  severity: severitySchema,
  title: z.string(),
  body: z.string(),
  channel: channelSchema,
  status: z.enum(["pending", "delivered", "failed"]),
  attempts: z.int(),
  error: z.nullable(z.string()),
  createdAt: instantSchema,
  deliveredAt: z.nullable(instantSchema),
});
export type Delivery = z.infer<typeof deliverySchema>;

export const notificationEvents = defineCall({
  method: "GET",
  path: "/admin/notifications/events",
  policy: "admin",
  refusesTokens: true,
  summary: "My delivery log, newest first",
  query: z.strictObject({
    limit: integerParameter(1, 100, 20),
    offset: integerParameter(0, 1_000_000, 0),
  }),
  data: z.object({ events: z.array(deliverySchema), total: z.int() }),
});

const deliveredSchema = z.object({ delivered: z.array(channelSchema) });

export const testTelegram = defineCall({
  method: "POST",
  path: "/admin/notifications/telegram/test",
  policy: "admin",
  refusesTokens: true,
  summary: "Send a test message to a Telegram user",
  body: z.strictObject({
    telegramUserId: z
      .string()
      .check(
        z.regex(/^[1-9]\d{0,15}$/, "must be a number, as the bot's /myid answers it"),
        z.refine(fitsTelegram, "is larger than any Telegram id"),
      ),
  }),
  data: deliveredSchema,
});

export const testEvent = defineCall({
  method: "POST",
  path: "/admin/notifications/test/{type}",
  policy: "admin",
  refusesTokens: true,
  summary: "Send a test of one event to my own enabled channels",
  params: z.strictObject({ type: eventTypeSchema }),
  data: deliveredSchema,
});
