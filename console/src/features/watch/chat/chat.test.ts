import { expect, onTestFinished, test, vi } from "vitest";
import type { ChatMessage } from "#contract/chat.ts";
import { BUCKETS, countByBucket, peaksOf } from "./chat-activity.tsx";
import { lastUpTo, readChatLog, searchChat, searchTexts } from "./chat-log.ts";

function said(offsetSec: number, text: string, name: string | null = "Ann"): ChatMessage {
  return { offsetSec, name, color: null, badges: [], parts: [{ text, isEmote: false }] };
}

function burst(offsetSec: number, count: number): ChatMessage[] {
  return Array.from({ length: count }, () => said(offsetSec, "!"));
}

function serve(answer: () => Response): void {
  vi.stubGlobal("fetch", async () => answer());
  onTestFinished(() => void vi.unstubAllGlobals());
}

const comment = (sec: number, message: object) =>
  JSON.stringify({
    content_offset_seconds: sec,
    commenter: { display_name: "Ann" },
    message: { body: "hi", ...message },
  });

test("a stored replay is read in time order, without invalid messages", async () => {
  const lines = [
    comment(9, { fragments: [{ text: "Kappa", emoticon: { emoticon_id: "25" } }] }),
    comment(2, { user_color: "#00ff7F", user_badges: [{ _id: "vip", version: "1" }] }),
    comment(3, { user_color: "url(https://example.org)" }),
    comment(-1, {}),
    '{"content_offset_seconds":4}',
    "<html>",
  ];
  serve(() => new Response(`{"comments":[\n${lines.join(",\n")}\n],"embeddedData":null}\n`));
  expect(await readChatLog("/chat")).toEqual([
    { ...said(2, "hi"), color: "#00ff7F", badges: ["vip"] },
    said(3, "hi"),
    { ...said(9, ""), parts: [{ text: "Kappa", isEmote: true }] },
  ]);
});

test("a failed request for a replay throws", async () => {
  serve(() => new Response("gone", { status: 404 }));
  await expect(readChatLog("/chat")).rejects.toThrow("could not be read");
});

test("the current message is the last one up to now", () => {
  const log = [said(1, "a"), said(2, "b"), said(2, "c"), said(5, "d")];
  expect([0, 1, 2, 4.9, 5, 99].map((sec) => lastUpTo(log, sec))).toEqual([-1, 0, 2, 2, 3, 3]);
});

test("a search matches senders and texts case-insensitively", () => {
  const log = [said(1, "Good EVENING"), said(2, "no", "Eve"), said(3, "x", null)];
  expect(searchChat(log, searchTexts(log), "eve")).toEqual(log.slice(0, 2));
});

test("peaks are busier than the rest, spaced apart and within the video", () => {
  const log = Array.from({ length: 240 }, (_, second) => said(second, ""));
  const counts = countByBucket([...log, ...burst(60, 9), ...burst(62, 8), ...burst(900, 5)], 240);
  expect(counts).toHaveLength(BUCKETS);
  expect(peaksOf(counts, 240)).toEqual([
    { bucket: 30, startSec: 60, count: 11 },
    { bucket: 119, startSec: 238, count: 7 },
  ]);
  expect(peaksOf(countByBucket(log, 240), 240)).toEqual([]);
});
