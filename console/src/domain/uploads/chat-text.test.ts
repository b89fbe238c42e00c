import { expect, test } from "vitest";
import type { ChatState } from "#contract/chat-state.ts";
import { chatText } from "./chat-text.ts";

const AT = 2 * 3_600 + 13 * 60 + 5;

test.each<[ChatState, string]>([
  [{ state: "reading", untilSec: null, shortSeconds: [] }, "Chat: reading"],
  [{ state: "reading", untilSec: AT, shortSeconds: [] }, "Chat: reading, to 2:13:05"],
  [{ state: "complete", untilSec: AT, shortSeconds: [] }, "Chat complete"],
  [{ state: "partial", untilSec: AT, shortSeconds: [] }, "Chat to 2:13:05"],
  [
    { state: "partial", untilSec: AT, shortSeconds: [65, 66, 70, 90] },
    "Chat to 2:13:05, messages missing at 0:01:05, 0:01:06, 0:01:10 and later",
  ],
  [{ state: "gone", untilSec: null, shortSeconds: [] }, "Chat gone at Twitch"],
  [{ state: "none", untilSec: null, shortSeconds: [] }, "No chat stored"],
])("%j reads %j", (chat, text) => {
  expect(chatText(chat)).toBe(text);
});
