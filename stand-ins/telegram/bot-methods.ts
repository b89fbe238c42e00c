import type { People } from "./people.ts";

/** The Bot API's response (core.telegram.org/bots/api, "Making requests"). */
export type BotAnswer =
  | { readonly ok: true; readonly result: unknown }
  | {
      readonly ok: false;
      readonly error_code: number;
      readonly description: string;
      readonly parameters?: { readonly retry_after: number };
    };

export type Parameters = Readonly<Record<string, unknown>>;

export type BotMethod = (
  parameters: Parameters,
  gone: AbortSignal,
) => BotAnswer | Promise<BotAnswer>;

/** Bot API, sendMessage: "1-4096 characters". */
const MAX_TEXT_LENGTH = 4_096;

/** Longer polls return no updates after this time (Bot API servers cut at 50 s). */
const MAX_WAIT_SEC = 50;

export function refusal(
  error_code: number,
  description: string,
  retryAfterSec?: number,
): BotAnswer {
  return {
    ok: false,
    error_code,
    description,
    ...(retryAfterSec !== undefined && { parameters: { retry_after: retryAfterSec } }),
  };
}

export function createBotMethods(
  people: People,
  bot: { readonly id: number; readonly username: string },
): ReadonlyMap<string, BotMethod> {
  let endEarlierPoll: (() => void) | null = null;

  function sendMessage({ chat_id: chatId, text }: Parameters): BotAnswer {
    if (chatId === undefined || chatId === "") return refusal(400, "Bad Request: chat_id is empty");
    if (typeof text !== "string" || text.trim() === "")
      return refusal(400, "Bad Request: message text is empty");
    if (text.length > MAX_TEXT_LENGTH) return refusal(400, "Bad Request: message is too long");
    const person = people.find(Number(chatId));
    if (person === undefined) return refusal(400, "Bad Request: chat not found");
    if (person.hasBlocked) return refusal(403, "Forbidden: bot was blocked by the user");
    if (!person.hasStarted)
      return refusal(403, "Forbidden: bot can't initiate conversation with a user");
    return { ok: true, result: people.receive(person, text) };
  }

  /** One poll at a time: a new one ends the previous one with 409, as in the real API. */
  async function getUpdates(parameters: Parameters, gone: AbortSignal): Promise<BotAnswer> {
    endEarlierPoll?.();
    const offset = Number(parameters["offset"] ?? 0);
    const waitSec = Math.min(Number(parameters["timeout"] ?? 0), MAX_WAIT_SEC);
    const superseded = new AbortController();
    endEarlierPoll = () => superseded.abort();
    const end = AbortSignal.any([
      gone,
      superseded.signal,
      AbortSignal.timeout(Math.max(0, waitSec * 1_000)),
    ]);
    while (people.updatesFrom(offset).length === 0 && !end.aborted) await people.nextUpdate(end);
    if (superseded.signal.aborted)
      return refusal(409, "Conflict: terminated by other getUpdates request");
    endEarlierPoll = null;
    return { ok: true, result: people.updatesFrom(offset) };
  }

  const me = { id: bot.id, is_bot: true, first_name: bot.username, username: bot.username };
  return new Map<string, BotMethod>([
    ["getMe", () => ({ ok: true, result: me })],
    ["sendMessage", sendMessage],
    ["getUpdates", getUpdates],
  ]);
}
