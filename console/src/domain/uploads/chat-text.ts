import type { ChatState } from "#contract/chat-state.ts";
import { chatTime } from "#contract/chat.ts";

/** E.g. "Chat: reading, to 2:13:05". */
export function chatText({ state, untilSec }: ChatState): string {
  const at = untilSec === null ? null : chatTime(untilSec);
  const texts: Readonly<Record<ChatState["state"], string>> = {
    reading: at === null ? "Chat: reading" : `Chat: reading, to ${at}`,
    complete: "Chat complete",
    partial: at === null ? "Part of the chat" : `Chat to ${at}`,
    gone: "Chat gone at Twitch",
    none: "No chat stored",
  };
  return texts[state];
}
