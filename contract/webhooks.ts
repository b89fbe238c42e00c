import * as z from "zod/mini";
import { defineCall } from "./call.ts";
import { MAX_SOURCE_ADDRESS_LENGTH, MAX_TOKEN_NAME_LENGTH } from "./limits.ts";
import { EVENT_TYPES, eventTypeSchema } from "./notification-events.ts";
import { instantSchema, integerParameter } from "./values.ts";

/** `standard` is Standard Webhooks 1.0 (standardwebhooks.com). */
export const WEBHOOK_FORMATS = ["standard", "discord", "ntfy", "apprise"] as const;
const webhookFormatSchema = z.enum(WEBHOOK_FORMATS);
export type WebhookFormat = z.infer<typeof webhookFormatSchema>;

export const MAX_WEBHOOKS = 20;

const webhookIdSchema = z.string().check(z.regex(/^[0-9a-f]{24}$/, "is not a webhook's id"));
const params = z.strictObject({ id: webhookIdSchema });

const urlSchema = z
  .string()
  .check(z.minLength(1), z.maxLength(MAX_SOURCE_ADDRESS_LENGTH, "is too long"));

const chosen = {
  name: z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_TOKEN_NAME_LENGTH)),
  events: z.array(eventTypeSchema).check(
    z.minLength(1, "must have at least one event"),
    z.maxLength(EVENT_TYPES.length),
    z.refine((list) => new Set(list).size === list.length, "must not repeat an event"),
  ),
};

/** Its address may contain a token, so only the host is shown. */
export const webhookSchema = z.object({
  id: webhookIdSchema,
  name: z.string(),
  format: webhookFormatSchema,
  /** With its port, if the address names one. */
  host: z.string(),
  events: z.array(eventTypeSchema),
  isEnabled: z.boolean(),
  /** Why the service switched it off, as a sentence. */
  offReason: z.nullable(z.string()),
  createdAt: instantSchema,
  /** Events that it has not been told yet. */
  pending: z.int(),
  lastAttempt: z.nullable(
    z.object({ at: instantSchema, isDelivered: z.boolean(), result: z.string() }),
  ),
});
export type Webhook = z.infer<typeof webhookSchema>;

/** `secret` verifies signatures of the format `standard`; null in other formats. Never shown again. */
const secretSchema = z.nullable(z.string());

export const listWebhooks = defineCall({
  method: "GET",
  path: "/admin/webhooks",
  policy: "read:system",
  summary: "All webhooks, by name",
  data: z.object({ webhooks: z.array(webhookSchema) }),
});

export const makeWebhook = defineCall({
  method: "POST",
  path: "/admin/webhooks",
  policy: "write:system",
  summary: "Make a webhook for events that the caller may be notified of",
  body: z.strictObject({ ...chosen, format: webhookFormatSchema, url: urlSchema }),
  data: z.object({ webhook: webhookSchema, secret: secretSchema }),
  successStatus: 201,
});

export const changeWebhook = defineCall({
  method: "PUT",
  path: "/admin/webhooks/{id}",
  policy: "write:system",
  summary: "Change a webhook; without `url` it keeps its address",
  params,
  body: z.strictObject({
    ...chosen,
    url: z.optional(urlSchema),
    isEnabled: z.boolean(),
    /** The webhook that the change was made from; if given, and another is saved, it is a conflict. */
    replaces: z.optional(
      z.strictObject(z.pick(webhookSchema, { name: true, events: true, isEnabled: true }).shape),
    ),
  }),
  data: webhookSchema,
});

export const deleteWebhook = defineCall({
  method: "DELETE",
  path: "/admin/webhooks/{id}",
  policy: "write:system",
  summary: "Delete a webhook and its deliveries",
  params,
  data: z.object({}),
});

export const rotateWebhookSecret = defineCall({
  method: "POST",
  path: "/admin/webhooks/{id}/rotate-secret",
  policy: "write:system",
  summary: "Replace a webhook's secret; the previous one signs nothing more",
  params,
  data: z.object({ secret: z.string() }),
});

export const testWebhook = defineCall({
  method: "POST",
  path: "/admin/webhooks/{id}/test",
  policy: "write:system",
  summary: "Send a test event now and show the receiver's answer",
  params,
  data: z.object({
    isDelivered: z.boolean(),
    /** What happened, as a sentence. */
    result: z.string(),
    /** Null without an answer. */
    status: z.nullable(z.int()),
    /** The first 500 characters of the answer's body. */
    answer: z.string(),
  }),
});

export const webhookDeliverySchema = z.object({
  id: z.string(),
  type: eventTypeSchema,
  /** Null if the caller may not be notified of this event. */
  title: z.nullable(z.string()),
  status: z.enum(["pending", "delivered", "failed"]),
  attempts: z.int(),
  result: z.nullable(z.string()),
  createdAt: instantSchema,
  attemptedAt: z.nullable(instantSchema),
});
export type WebhookDelivery = z.infer<typeof webhookDeliverySchema>;

export const webhookDeliveries = defineCall({
  method: "GET",
  path: "/admin/webhooks/{id}/deliveries",
  policy: "read:system",
  summary: "A webhook's deliveries, newest event first",
  params,
  query: z.strictObject({
    limit: integerParameter(1, 100, 20),
    offset: integerParameter(0, 1_000_000, 0),
  }),
  data: z.object({ deliveries: z.array(webhookDeliverySchema), total: z.int() }),
});
