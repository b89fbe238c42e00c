import type { Logger } from "#service/logger.ts";
import { DeliveryError, SEND_TIMEOUT_MS } from "./channel.ts";
import type { TelegramApi, TelegramUpdate } from "./telegram-api.ts";

/**
 * The bot's part of the setup: pressing Start or sending /myid in a private chat returns the user's
 * numeric id. The bot reads nothing else and stores nothing.
 *
 * The returned function answers messages until none arrives for `waitSec`; call it repeatedly.
 * After a crash a message may be answered twice, because Telegram drops an update only when later
 * ones are requested.
 */
export function createTelegramBot(
  api: TelegramApi,
  options: { readonly prefix: string; readonly waitSec: number; readonly log: Logger },
): (signal: AbortSignal) => Promise<void> {
  let offset = 0;
  return async (signal) => {
    for (;;) {
      const updates = await api.getUpdates(offset, options.waitSec, signal);
      if (updates.length === 0) return;
      for (const update of updates) {
        await answer(update);
        offset = update.update_id + 1;
      }
    }
  };

  async function answer({ message }: TelegramUpdate): Promise<void> {
    if (message?.from === undefined || message.chat.type !== "private") return;
    const reply = replyTo(message.text ?? "", message.from.id);
    try {
      await api.sendMessage(String(message.chat.id), `${options.prefix} ${reply}`, SEND_TIMEOUT_MS);
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      options.log.warn("The Telegram bot could not answer", { reason: error.message });
    }
  }
}

function replyTo(text: string, userId: number): string {
  const [command] = text.trim().toLowerCase().split(/[\s@]/, 1);
  if (command === "/start") {
    return (
      `Hello! Your Telegram user ID is ${userId}. ` +
      "Enter it on the Notifications page of the admin panel, then press Test."
    );
  }
  if (command === "/myid") return `Your Telegram user ID is ${userId}.`;
  return "I only know /myid, which tells you your Telegram user ID.";
}
