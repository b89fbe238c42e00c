import { expect, test } from "vitest";
import { chatText } from "./chat-text.ts";

const AT = 2 * 3_600 + 13 * 60 + 5;

test.each([
  [{ state: "reading", untilSec: null }, "Chat: reading"],
  [{ state: "reading", untilSec: AT }, "Chat: reading, to 2:13:05"],
  [{ state: "complete", untilSec: AT }, "Chat complete"],
  [{ state: "partial", untilSec: AT }, "Chat to 2:13:05"],
  [{ state: "gone", untilSec: null }, "Chat gone at Twitch"],
  [{ state: "none", untilSec: null }, "No chat stored"],
] as const)("%j reads %j", (chat, text) => {
  expect(chatText(chat)).toBe(text);
});
