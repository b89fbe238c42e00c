import * as z from "zod/mini";
import type { BodyOf } from "#contract/call.ts";
import type { EventType } from "#contract/notification-events.ts";
import type { Permission } from "#contract/permissions.ts";
import {
  MAX_WEBHOOKS,
  webhookDeliverySchema,
  webhookSchema,
  type changeWebhook,
  type makeWebhook,
  type Webhook,
  type WebhookDelivery,
  type WebhookFormat,
} from "#contract/webhooks.ts";
import { ApiError } from "#service/api-error.ts";
import type { AuditInput } from "#service/changes/audit-entry.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { ServiceContext } from "#service/context.ts";
import { batchIf } from "#service/db/batch-if.ts";
import { flagColumn, instantColumn } from "#service/db/columns.ts";
import { jsonText } from "#service/db/json-text.ts";
import { sql } from "#service/db/sql.ts";
import type { Actor } from "#service/http/route.ts";
import { drop, hasten } from "#service/jobs/jobs.ts";
import { mayReceive } from "#service/notifications/event-types.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { toHex } from "#service/secrets/hex.ts";
import type { SecretCipher } from "#service/secrets/secret-cipher.ts";
import { invalidUrl, parseWebhookUrl } from "./webhook-address.ts";
import { splitTopic } from "./webhook-message.ts";
import { failPending, pendingOf } from "./webhook-queue.ts";
import { formatWebhookSecret } from "./webhook-signature.ts";

const ID_BYTES = 12;
const SECRET_BYTES = 32;

const webhookRow = z.pipe(
  z.extend(z.omit(webhookSchema, { lastAttempt: true }), {
    events: jsonText(webhookSchema.shape.events),
    isEnabled: flagColumn,
    createdAt: instantColumn,
    last_at: z.nullable(instantColumn),
    last_delivered: z.nullable(flagColumn),
    last_result: z.nullable(z.string()),
  }),
  z.transform(({ last_at: at, last_delivered, last_result, ...webhook }): Webhook => ({
    ...webhook,
    lastAttempt:
      at === null ? null : { at, isDelivered: last_delivered === true, result: last_result ?? "" },
  })),
);

export async function listWebhooks(database: Database, only = sql`TRUE`): Promise<Webhook[]> {
  const rows = await database.all(sql`
    SELECT id, name, format, host, events, enabled AS isEnabled, off_reason AS offReason,
      created_at AS createdAt, last_at, last_delivered, last_result,
      (SELECT count(*) FROM ${pendingOf(sql`webhooks.id`)}) AS pending
    FROM webhooks WHERE ${only} ORDER BY name COLLATE NOCASE, id`);
  return rows.map((row) => webhookRow.parse(row));
}

/** @throws {ApiError} not_found */
export async function requireWebhook(database: Database, id: string): Promise<Webhook> {
  const [webhook] = await listWebhooks(database, sql`id = ${id}`);
  if (webhook === undefined)
    throw new ApiError("not_found", "There is no such webhook. It may have been deleted.");
  return webhook;
}

export type Maker = Actor & { readonly permissions: readonly Permission[] };

export function createWebhookStore({ platform, settings }: ServiceContext, cipher: SecretCipher) {
  const { database, clock, random } = platform;

  /** Runs a statement with its audit entry, and then others. Returns how many rows it changed. */
  async function record(
    audit: Omit<AuditInput, "atMs">,
    statement: Statement,
    ...also: readonly Statement[]
  ): Promise<number> {
    const recorded = recordedChange(statement, clock.now(), { audit });
    const [result] = await database.batch([...recorded, ...also]);
    return result?.changes ?? 0;
  }

  async function sealUrl(id: string, address: string, format: WebhookFormat) {
    const url = parseWebhookUrl(address, settings.WEBHOOK_HOSTS);
    if (format === "ntfy" && splitTopic(url.href).topic === "")
      throw invalidUrl("does not end with a topic, as in https://ntfy.sh/mytopic");
    return { host: url.host, url: await cipher.encrypt(url.href, id) };
  }

  function newSecret(): string {
    return formatWebhookSecret(random.bytes(SECRET_BYTES));
  }

  return {
    async make(body: BodyOf<typeof makeWebhook>, maker: Maker) {
      requireReceivable(body.events, maker.permissions);
      const id = toHex(random.bytes(ID_BYTES));
      const { host, url } = await sealUrl(id, body.url, body.format);
      const secret = body.format === "standard" ? newSecret() : null;
      const sealed = secret === null ? null : await cipher.encrypt(secret, id);
      const { name, format, events } = body;
      const made = await record(
        { ...maker, action: "webhook.make", target: id, after: { name, format, host, events } },
        sql`INSERT INTO webhooks (id, name, format, host, url, secret, events, enabled, created_at)
          SELECT ${id}, ${name}, ${format}, ${host}, ${url}, ${sealed}, ${JSON.stringify(events)}, 1,
            ${clock.now()}
          WHERE (SELECT count(*) FROM webhooks) < ${MAX_WEBHOOKS}`,
      );
      if (made === 0)
        throw new ApiError(
          "conflict",
          `There are ${MAX_WEBHOOKS} webhooks already. Please delete one first.`,
        );
      return { webhook: await requireWebhook(database, id), secret };
    },

    /** @throws {ApiError} not_found, forbidden, conflict (it is not `replaces`, or was changed at the same time) */
    async change(id: string, body: BodyOf<typeof changeWebhook>, maker: Maker): Promise<Webhook> {
      const before = await requireWebhook(database, id);
      // Anyone with write:system may switch one off; a new address receives all of its events.
      const isKnown = (type: EventType) => body.url === undefined && before.events.includes(type);
      requireReceivable(
        body.events.filter((type) => !isKnown(type)),
        maker.permissions,
      );
      const address = body.url === undefined ? null : await sealUrl(id, body.url, before.format);
      const { name, events, isEnabled, replaces = before } = body;
      const host = address?.host ?? before.host;
      const isSame = sql`EXISTS (SELECT 1 FROM webhooks WHERE id = ${id} AND host = ${before.host}
        AND name = ${replaces.name} AND events = ${JSON.stringify(replaces.events)}
        AND enabled = ${Number(replaces.isEnabled)})`;
      const audit = {
        ...maker,
        action: "webhook.change",
        target: id,
        before: { name: before.name, host: before.host, events: before.events },
        after: { name, host, events, isEnabled },
      };
      const changed = await batchIf(database, isSame, [
        ...recordedChange(
          sql`UPDATE webhooks
            SET name = ${name}, events = ${JSON.stringify(events)}, host = ${host},
              url = coalesce(${address?.url ?? null}, url), enabled = ${isEnabled ? 1 : 0},
              off_reason = iif(${isEnabled ? 1 : 0}, NULL, off_reason)
            WHERE id = ${id}`,
          clock.now(),
          { audit },
        ),
        isEnabled ? hasten("webhook", id, clock.now()) : failPending(id),
      ]);
      if (changed === null)
        throw new ApiError("conflict", "Someone else has changed this webhook. Look at it again.");
      return await requireWebhook(database, id);
    },

    async delete(id: string, actor: Actor): Promise<void> {
      const { name, format, host, events } = await requireWebhook(database, id);
      const before = { name, format, host, events };
      await record(
        { ...actor, action: "webhook.delete", target: id, before },
        sql`DELETE FROM webhooks WHERE id = ${id}`,
        sql`DELETE FROM notification_deliveries WHERE receiver = ${id}`,
        drop("webhook", id),
      );
    },

    /** @throws {ApiError} forbidden, conflict in formats without a secret */
    async rotate(id: string, { permissions, ...actor }: Maker) {
      const { format, events } = await requireWebhook(database, id);
      requireReceivable(events, permissions);
      if (format !== "standard")
        throw new ApiError("conflict", "Only webhooks of the format standard have a secret.");
      const secret = newSecret();
      await record(
        { ...actor, action: "webhook.rotate", target: id },
        sql`UPDATE webhooks SET secret = ${await cipher.encrypt(secret, id)} WHERE id = ${id}`,
      );
      return { secret };
    },
  };
}

const deliveryRow = z.extend(webhookDeliverySchema, {
  title: z.string(),
  createdAt: instantColumn,
  attemptedAt: z.nullable(instantColumn),
});

export async function listDeliveries(
  database: Database,
  id: string,
  page: { readonly limit: number; readonly offset: number },
  permissions: readonly Permission[],
): Promise<{ deliveries: WebhookDelivery[]; total: number }> {
  await requireWebhook(database, id);
  const [rows, [count]] = await Promise.all([
    database.all(sql`
      SELECT CAST(e.seq AS TEXT) AS id, e.type, e.title, d.status, d.attempts, d.result,
        e.created_at AS createdAt, d.attempted_at AS attemptedAt
      FROM notification_deliveries d JOIN notification_events e ON e.seq = d.event_seq
      WHERE d.receiver = ${id} ORDER BY d.seq DESC
      LIMIT ${page.limit} OFFSET ${page.offset}`),
    database.all(sql`SELECT count(*) AS total FROM notification_deliveries WHERE receiver = ${id}`),
  ]);
  return {
    deliveries: rows.map((row) => {
      const delivery = deliveryRow.parse(row);
      return mayReceive(delivery.type, permissions) ? delivery : { ...delivery, title: null };
    }),
    total: z.object({ total: z.number() }).parse(count).total,
  };
}

/** A webhook must not tell its maker what they may not read. */
export function requireReceivable(
  events: readonly EventType[],
  permissions: readonly Permission[],
): void {
  const hidden = events.find((type) => !mayReceive(type, permissions));
  if (hidden !== undefined)
    throw new ApiError("forbidden", `Your permissions do not include events of type ${hidden}.`);
}
