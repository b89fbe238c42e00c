import { foreignWords } from "#service/secrets/foreign-words.ts";
import { DeliveryError } from "./channel.ts";

/** The Bot API's error response (core.telegram.org/bots/api, "Making requests"). */
export type TelegramRefusal = {
  readonly status: number;
  readonly description: string;
  readonly retryAfterSec: number | null;
};

/** Longer requested pauses are cut to this. */
const MAX_RETRY_AFTER_SEC = 3_600;

/** Translates Telegram's refusal into what the user can do about it. */
export function translateTelegramRefusal({
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
