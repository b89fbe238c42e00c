import type { ServiceContext } from "#service/context.ts";
import type { ChannelSender } from "./channel.ts";
import { emailChannel } from "./email-channel.ts";
import { createTelegramApi, type TelegramApi } from "./telegram-api.ts";
import { telegramChannel } from "./telegram-channel.ts";

/** The outgoing channels; created once at start. */
export type Messaging = {
  readonly telegramApi: TelegramApi | null;
  readonly telegram: ChannelSender;
  readonly email: ChannelSender;
  /** In the console's order, after the browser. */
  readonly senders: readonly ChannelSender[];
};

export function createMessaging(context: Pick<ServiceContext, "platform" | "settings">): Messaging {
  const telegramApi = createTelegramApi(context);
  const telegram = telegramChannel(context, telegramApi);
  const email = emailChannel(context);
  return { telegramApi, telegram, email, senders: [telegram, email] };
}
