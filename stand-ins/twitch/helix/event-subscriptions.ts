import { createHmac } from "node:crypto";
import { emptyAnswer, jsonAnswer, type Answer } from "../http/answer.ts";
import type { Exchange } from "../http/exchange.ts";
import { isRecord, readJson } from "../http/request-body.ts";
import type { AccessGrant } from "../oauth/token-store.ts";
import type { World } from "../world.ts";
import { helixError } from "./helix-error.ts";

/**
 * EventSub over webhooks (docs/twitch.md#eventsub): subscribes, verifies the callback, and delivers
 * on request.
 */
export type EventSubscription = {
  readonly id: string;
  readonly type: string;
  readonly version: string;
  readonly condition: Readonly<Record<string, unknown>>;
  readonly callback: string;
  readonly secret: string;
  readonly createdAt: string;
  status: string;
};

export type SentEvent = {
  readonly messageId: string;
  readonly status: number | null;
  readonly body: string;
};

export type EventOptions = {
  readonly type?: "stream.online" | "stream.offline";
  readonly broadcasterId: string;
  /** A repeated id marks a duplicate, which the receiver must drop. */
  readonly messageId?: string;
  readonly badSignature?: boolean;
  /** The age of the message's timestamp; receivers refuse more than ten minutes. */
  readonly agedMs?: number;
  readonly messageType?: "notification" | "revocation";
};

const MAX_TOTAL_COST = 10_000;

export function answerSubscriptions(world: World, exchange: Exchange, access: AccessGrant): Answer {
  if (access.accountId !== null) {
    return helixError(400, "invalid transport and auth combination");
  }
  switch (exchange.method) {
    case "POST":
      return subscribe(world, exchange);
    case "GET":
      return listing(200, world, [...world.subscriptions.values()]);
    case "DELETE": {
      const isKnown = world.subscriptions.delete(exchange.url.searchParams.get("id") ?? "");
      return isKnown ? emptyAnswer(204) : helixError(404, "subscription not found");
    }
    default:
      return helixError(404, "Not Found");
  }
}

function subscribe(world: World, exchange: Exchange): Answer {
  const body = readJson(exchange.body);
  if (!isRecord(body) || !isRecord(body["condition"]) || !isRecord(body["transport"])) {
    return helixError(400, "the request body is not a subscription");
  }
  const { callback, secret, method } = body["transport"];
  const type = typeof body["type"] === "string" ? body["type"] : "";
  if (method !== "webhook" || typeof callback !== "string" || !isAllowedCallback(callback)) {
    return helixError(
      400,
      "invalid callback: it must be https on port 443, or plain loopback here",
    );
  }
  if (typeof secret !== "string" || !/^[\x20-\x7e]{10,100}$/.test(secret)) {
    return helixError(400, "secret must be 10 to 100 ASCII characters");
  }
  const condition = body["condition"];
  const isDouble = [...world.subscriptions.values()].some(
    (known) =>
      known.type === type &&
      known.callback === callback &&
      JSON.stringify(known.condition) === JSON.stringify(condition),
  );
  if (isDouble) {
    return helixError(409, "subscription already exists");
  }
  const subscription: EventSubscription = {
    id: world.random.word(32),
    type,
    version: typeof body["version"] === "string" ? body["version"] : "1",
    condition,
    callback,
    secret,
    createdAt: new Date(world.now()).toISOString(),
    status: "webhook_callback_verification_pending",
  };
  world.subscriptions.set(subscription.id, subscription);
  const answer = listing(202, world, [subscription]);
  // After the response, as on Twitch; the result appears in the subscription's status.
  world.background(verifyCallback(world, subscription));
  return answer;
}

/** Twitch requires https on port 443; the stand-in also allows receivers on this machine. */
function isAllowedCallback(callback: string): boolean {
  const url = URL.parse(callback);
  return (
    url !== null &&
    (["localhost", "127.0.0.1", "[::1]"].includes(url.hostname) ||
      (url.protocol === "https:" && url.port === ""))
  );
}

function listing(status: number, world: World, data: readonly EventSubscription[]): Answer {
  return jsonAnswer(status, {
    data: data.map((subscription) => describe(subscription)),
    total: world.subscriptions.size,
    total_cost: world.subscriptions.size,
    max_total_cost: MAX_TOTAL_COST,
    pagination: {},
  });
}

function describe(subscription: EventSubscription): Record<string, unknown> {
  return {
    id: subscription.id,
    status: subscription.status,
    type: subscription.type,
    version: subscription.version,
    cost: 1,
    condition: subscription.condition,
    transport: { method: "webhook", callback: subscription.callback },
    created_at: subscription.createdAt,
  };
}

async function verifyCallback(world: World, subscription: EventSubscription): Promise<void> {
  const challenge = world.random.word(40);
  const body = { challenge, subscription: describe(subscription) };
  const messageType = "webhook_callback_verification";
  const answer = await send(world, subscription, body, { messageType, broadcasterId: "" });
  subscription.status =
    answer.status === 200 && answer.text === challenge
      ? "enabled"
      : "webhook_callback_verification_failed";
}

/** Sends one message to each matching subscription; a null status means no response. */
export async function sendEvent(world: World, options: EventOptions): Promise<SentEvent[]> {
  const type = options.type ?? "stream.online";
  const fitting = [...world.subscriptions.values()].filter(
    (subscription) =>
      subscription.type === type &&
      subscription.condition["broadcaster_user_id"] === options.broadcasterId,
  );
  return Promise.all(
    fitting.map(async (subscription) => {
      if (options.messageType === "revocation") {
        subscription.status = "authorization_revoked";
      }
      const broadcaster = world.accounts.get(options.broadcasterId);
      const body = {
        subscription: describe(subscription),
        event: {
          ...(type === "stream.online"
            ? {
                id: world.random.word(10),
                type: "live",
                started_at: new Date(world.now()).toISOString(),
              }
            : {}),
          broadcaster_user_id: options.broadcasterId,
          broadcaster_user_login: broadcaster?.login ?? "",
          broadcaster_user_name: broadcaster?.displayName ?? "",
        },
      };
      const sent = await send(world, subscription, body, options);
      return { messageId: sent.messageId, status: sent.status, body: sent.text };
    }),
  );
}

type SendOptions = Omit<EventOptions, "messageType" | "type"> & { readonly messageType?: string };

async function send(
  world: World,
  subscription: EventSubscription,
  message: unknown,
  options: SendOptions,
): Promise<{ messageId: string; status: number | null; text: string }> {
  const messageId = options.messageId ?? crypto.randomUUID();
  // Twitch's timestamps have nanoseconds; the signature covers the exact text.
  const at = new Date(world.now() - (options.agedMs ?? 0));
  const timestamp = at.toISOString().replace("Z", "000000Z");
  const body = JSON.stringify(message);
  const signature = createHmac(
    "sha256",
    options.badSignature === true ? "wrong secret" : subscription.secret,
  )
    .update(messageId + timestamp + body)
    .digest("hex");
  try {
    const answer = await fetch(subscription.callback, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        "twitch-eventsub-message-id": messageId,
        "twitch-eventsub-message-retry": "0",
        "twitch-eventsub-message-type": options.messageType ?? "notification",
        "twitch-eventsub-message-signature": `sha256=${signature}`,
        "twitch-eventsub-message-timestamp": timestamp,
        "twitch-eventsub-subscription-type": subscription.type,
        "twitch-eventsub-subscription-version": subscription.version,
      },
      signal: AbortSignal.any([world.closing, AbortSignal.timeout(10_000)]),
    });
    return { messageId, status: answer.status, text: await answer.text() };
  } catch {
    // An unreachable receiver is a normal outcome, reported as a null status.
    return { messageId, status: null, text: "" };
  }
}
