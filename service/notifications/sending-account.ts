import * as z from "zod/mini";
import type { DataOf } from "#contract/call.ts";
import type { notificationConfig } from "#contract/notifications.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { isLoopback } from "#service/loopback.ts";
import { DeliveryError } from "./channel.ts";
import { messagePrefix } from "./message-text.ts";
import type { TelegramApi } from "./telegram-api.ts";

type Account = DataOf<typeof notificationConfig>["account"];

/** Maximum wait of a page load for the bot's status. */
const STATUS_TIMEOUT_MS = 3_000;

/** Caches the status, because every open console asks for it. */
const STATUS_FRESH_MS = 60_000;

type BotStatus = Pick<Account, "telegramBotName" | "telegramBotStatus">;

/** Data for the sending account's panel. The bot's status is checked at most once a minute. */
export function createAccountReader(
  { platform, settings }: Pick<ServiceContext, "platform" | "settings">,
  api: TelegramApi | null,
): () => Promise<Account> {
  let known: { readonly status: Promise<BotStatus>; readonly atMs: number } | null = null;

  function botStatus(): Promise<BotStatus> {
    const nowMs = platform.clock.monotonic();
    if (known === null || nowMs - known.atMs > STATUS_FRESH_MS) {
      known = { status: readBotStatus(api, settings.TELEGRAM_BOT_NAME ?? null), atMs: nowMs };
    }
    return known.status;
  }

  return async () => {
    const bot = await botStatus();
    return {
      environment: settings.ENVIRONMENT,
      defaultAdminUser: await readDefaultAdmin({ platform, settings }),
      telegramBotId: botIdOf(settings.TELEGRAM_BOT_TOKEN),
      ...bot,
      telegramChatUrl: chatUrlOf(settings, bot.telegramBotName),
      messagePrefix: messagePrefix(settings),
    };
  };
}

async function readBotStatus(api: TelegramApi | null, botName: string | null): Promise<BotStatus> {
  if (api === null) return { telegramBotName: botName, telegramBotStatus: "not_configured" };
  try {
    const bot = await api.getMe(STATUS_TIMEOUT_MS);
    return { telegramBotName: bot.username ?? botName, telegramBotStatus: "active" };
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    return { telegramBotName: botName, telegramBotStatus: "unreachable" };
  }
}

/** Telegram's deep links: core.telegram.org/api/links. */
function chatUrlOf(settings: ServiceContext["settings"], botName: string | null): string | null {
  if (settings.TELEGRAM_BOT_TOKEN === undefined) return null;
  // A Bot API on loopback is the stand-in, whose front page simulates the chat.
  if (isLoopback(new URL(settings.TELEGRAM_API_URL).hostname)) return settings.TELEGRAM_API_URL;
  return botName === null ? null : `https://t.me/${botName}`;
}

/** A bot's token is its id, a colon and its secret (core.telegram.org/bots/api). */
function botIdOf(token: string | undefined): string | null {
  return token?.match(/^(\d+):/)?.[1] ?? null;
}

/** The first administrator from the settings, by name once they have signed in. */
async function readDefaultAdmin({
  platform,
  settings,
}: Pick<ServiceContext, "platform" | "settings">): Promise<string | null> {
  const [firstId] = settings.ADMIN_TWITCH_IDS;
  if (firstId === undefined) return null;
  const [row] = await platform.database.all(
    sql`SELECT display_name FROM users WHERE id = ${firstId}`,
  );
  return row === undefined
    ? firstId
    : z.object({ display_name: z.string() }).parse(row).display_name;
}
