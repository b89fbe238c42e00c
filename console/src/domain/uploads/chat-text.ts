import type { ChatState } from "#contract/chat-state.ts";
import { shortTimes } from "#contract/chat.ts";
import { clockTime } from "#contract/clock-time.ts";

/** E.g. "Chat: reading, to 2:13:05". */
export function chatText({ state, untilSec, shortSeconds }: ChatState): string {
  const at = untilSec === null ? null : clockTime(untilSec);
  const short = shortSeconds.length > 0 ? `, messages missing at ${shortTimes(shortSeconds)}` : "";
  const texts: Readonly<Record<ChatState["state"], string>> = {
    reading: at === null ? "Chat: reading" : `Chat: reading, to ${at}`,
    complete: "Chat complete",
    partial: (at === null ? "Part of the chat" : `Chat to ${at}`) + short,
    gone: "Chat gone at Twitch",
    none: "No chat stored",
  };
  return texts[state];
}
