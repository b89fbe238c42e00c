import * as calls from "#contract/webhooks.ts";
import { ApiError } from "#service/api-error.ts";
import { auditEntry } from "#service/changes/audit-entry.ts";
import { TEST_PREFIX } from "#service/changes/notification-event.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import {
  actorOf,
  principalOf,
  route,
  type RequestContext,
  type Route,
} from "#service/http/route.ts";
import { SEND_TIMEOUT_MS } from "#service/notifications/channel.ts";
import { EVENT_TYPE_INFO } from "#service/notifications/event-types.ts";
import { takeTest } from "#service/notifications/test-limit.ts";
import type { SecretCipher } from "#service/secrets/secret-cipher.ts";
import { webhookTarget, type WebhookSender } from "./webhook-sender.ts";
import {
  createWebhookStore,
  listDeliveries,
  listWebhooks,
  requireReceivable,
  requireWebhook,
  type Maker,
} from "./webhook-store.ts";

export function webhookRoutes(
  context: ServiceContext,
  sender: WebhookSender,
  cipher: SecretCipher,
): Route[] {
  const { database, clock } = context.platform;
  const store = createWebhookStore(context, cipher);

  /** A test is not queued: whoever makes it waits for the answer. */
  async function test(id: string, request: RequestContext) {
    const { events } = await requireWebhook(database, id);
    requireReceivable(events, principalOf(request).permissions);
    const [type] = events;
    const [row] = await database.all(sql`SELECT * FROM webhooks WHERE id = ${id}`);
    if (type === undefined || row === undefined)
      throw new ApiError("conflict", "This webhook has no events.");
    await takeTest(context, principalOf(request).userId);
    const nowMs = clock.now();
    const subject = `${TEST_PREFIX}${nowMs}-${request.requestId}`;
    const { isDelivered, result, status, answer } = await sender.send(
      webhookTarget.parse(row),
      {
        id: subject,
        type,
        cause: null,
        subject,
        title: `Test: ${EVENT_TYPE_INFO[type].label}`,
        body: "This is a test. Nothing has happened, and this webhook works.",
        link: "/notifications",
        createdAt: nowMs,
        isTest: true,
      },
      SEND_TIMEOUT_MS,
    );
    const after = { isDelivered, status };
    await database.run(
      auditEntry({
        ...actorOf(request),
        atMs: clock.now(),
        action: "webhook.test",
        target: id,
        after,
      }),
    );
    return { isDelivered, result, status, answer };
  }

  return [
    route(calls.listWebhooks, async () => ({ webhooks: await listWebhooks(database) })),
    route(calls.makeWebhook, ({ body, context: request }) => store.make(body, makerOf(request))),
    route(calls.changeWebhook, ({ params, body, context: request }) =>
      store.change(params.id, body, makerOf(request)),
    ),
    route(calls.deleteWebhook, async ({ params, context: request }) => {
      await store.delete(params.id, actorOf(request));
      return {};
    }),
    route(calls.rotateWebhookSecret, ({ params, context: request }) =>
      store.rotate(params.id, makerOf(request)),
    ),
    route(calls.testWebhook, ({ params, context: request }) => test(params.id, request)),
    route(calls.webhookDeliveries, ({ params, query, context: request }) =>
      listDeliveries(database, params.id, query, principalOf(request).permissions),
    ),
  ];
}

function makerOf(request: RequestContext): Maker {
  return { ...actorOf(request), permissions: principalOf(request).permissions };
}
