import * as z from "zod/mini";
import type { Platform } from "#service/platform.ts";
import type { Settings } from "#service/settings.ts";
import { DeliveryError } from "./channel.ts";
import { foreignWords } from "#service/secrets/foreign-words.ts";

/** The methods of the Bot API in use (core.telegram.org/bots/api). */
export type TelegramApi = {
  sendMessage(chatId: string, text: string, timeoutMs: number): Promise<void>;
  /** Messages since `offset`; waits up to `waitSec` for the first one, or until `signal` aborts. */
  getUpdates(offset: number, waitSec: number, signal: AbortSignal): Promise<TelegramUpdate[]>;
  getMe(timeoutMs: number): Promise<{ id: number; username: string | null }>;
};

const answerSchema = z.object({
  ok: z.boolean(),
  result: z.optional(z.unknown()),
  description: z.optional(z.string()),
  parameters: z.optional(z.object({ retry_after: z.optional(z.number()) })),
});

const updateSchema = z.object({
  update_id: z.number(),
  message: z.optional(
    z.object({
      text: z.optional(z.string()),
      from: z.optional(z.object({ id: z.number() })),
      chat: z.object({ id: z.number(), type: z.string() }),
    }),
  ),
});
export type TelegramUpdate = z.infer<typeof updateSchema>;

const botSchema = z.object({ id: z.number(), username: z.optional(z.string()) });

/** Time for the answer to arrive after the requested wait. */
const POLL_GRACE_MS = 5_000;

/**
 * Null without a bot token. Every method throws {@link DeliveryError}. Each URL contains the token,
 * so errors drop a cause that may quote it.
 */
export function createTelegramApi({
  platform,
  settings,
}: {
  readonly platform: Pick<Platform, "fetch">;
  readonly settings: Settings;
}): TelegramApi | null {
  const token = settings.TELEGRAM_BOT_TOKEN;
  if (token === undefined) return null;

  const call = async (
    method: string,
    parameters: unknown,
    signal: AbortSignal,
  ): Promise<unknown> => {
    let response: Response;
    let body: string;
    try {
      response = await platform.fetch(`${settings.TELEGRAM_API_URL}/bot${token}/${method}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(parameters),
        signal,
      });
      body = await response.text();
    } catch {
      throw new DeliveryError("try_later", "Telegram is not responding.");
    }
    const answer = parseAnswer(body);
    if (answer === null || (!answer.ok && response.ok)) {
      throw new DeliveryError(
        "try_later",
        `Telegram's address returned an unexpected response (HTTP ${response.status}).`,
      );
    }
    if (answer.ok) return answer.result;
    throw translateTelegramRefusal({
      status: response.status,
      description: (answer.description ?? "").replaceAll(token, "[masked]"),
      retryAfterSec: answer.parameters?.retry_after ?? null,
    });
  };

  return {
    async sendMessage(chatId, text, timeoutMs) {
      const parameters = { chat_id: chatId, text, link_preview_options: { is_disabled: true } };
      await call("sendMessage", parameters, AbortSignal.timeout(timeoutMs));
    },
    async getUpdates(offset, waitSec, signal) {
      const result = await call(
        "getUpdates",
        { offset, timeout: waitSec, allowed_updates: ["message"] },
        AbortSignal.any([signal, AbortSignal.timeout(waitSec * 1_000 + POLL_GRACE_MS)]),
      );
      return parseResult(z.array(updateSchema), result);
    },
    async getMe(timeoutMs) {
      const bot = parseResult(botSchema, await call("getMe", {}, AbortSignal.timeout(timeoutMs)));
      return { id: bot.id, username: bot.username ?? null };
    },
  };
}

function parseAnswer(body: string): z.infer<typeof answerSchema> | null {
  try {
    return answerSchema.parse(JSON.parse(body));
  } catch {
    return null;
  }
}

function parseResult<Schema extends z.core.$ZodType>(
  schema: Schema,
  result: unknown,
): z.output<Schema> {
  const parsed = z.safeParse(schema, result);
  if (parsed.success) return parsed.data;
  throw new DeliveryError("try_later", "Telegram returned an invalid response.");
}

/** The Bot API's error response (core.telegram.org/bots/api, "Making requests"). */
type TelegramRefusal = {
  readonly status: number;
  readonly description: string;
  readonly retryAfterSec: number | null;
};

/** Longer requested pauses are cut to this. */
const MAX_RETRY_AFTER_SEC = 3_600;

/** Translates Telegram's refusal into what the user can do about it. */
function translateTelegramRefusal({
  status,
  description,
  retryAfterSec,
}: TelegramRefusal): DeliveryError {
  const text = description.toLowerCase();
  if (status === 429) {
    const waitSec = Math.min(Math.max(1, retryAfterSec ?? 30), MAX_RETRY_AFTER_SEC);
    return new DeliveryError(
      "try_later",
      `Telegram asks us to wait ${waitSec} s before the next message.`,
      waitSec * 1_000,
    );
  }
  if (status >= 500) {
    return new DeliveryError("try_later", `Telegram is failing (HTTP ${status}).`);
  }
  if (status === 401 || status === 404) {
    return new DeliveryError(
      "try_later",
      "Telegram does not accept the bot's token. An operator has to correct TELEGRAM_BOT_TOKEN.",
    );
  }
  if (text.includes("blocked")) {
    return new DeliveryError(
      "refused",
      `You have blocked the bot in Telegram. Unblock it there, then test again.`,
    );
  }
  if (text.includes("deactivated")) {
    return new DeliveryError("refused", "This Telegram account no longer exists.");
  }
  if (text.includes("chat not found") || text.includes("initiate") || text.includes("peer_id")) {
    return new DeliveryError(
      "refused",
      `Telegram does not let the bot write to this user yet. ` +
        `Open a chat with the bot and press Start, then test again.`,
    );
  }
  return new DeliveryError(
    "refused",
    `Telegram refused the message (HTTP ${status}): ${foreignWords(description)}`,
  );
}
