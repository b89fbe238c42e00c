import { createHash } from "node:crypto";
import { durationSecOf, type Vod } from "../catalog/vod.ts";

/**
 * Generated chat: comment k of a VOD is a function of the VOD's id and k, ordered by offset, so
 * that any page can be created without the previous ones.
 */
export type Comment = {
  readonly number: number;
  readonly id: string;
  readonly offsetSec: number;
  readonly createdAt: string;
  /** Null for a deleted user (docs/twitch.md#chat-replay). */
  readonly commenter: { readonly id: string; readonly login: string; readonly name: string } | null;
  readonly fragments: readonly { readonly text: string; readonly emoteId: string | null }[];
  readonly badges: readonly { readonly setId: string; readonly version: string }[];
  readonly color: string | null;
};

const NAMES = [
  "sky_watcher",
  "tea_and_clouds",
  "Löwe42",
  "雲の上",
  "altimeter_al",
  "kites_are_cool",
];
const LINES = [
  "Good evening everyone!",
  "that cloud looks like a whale",
  "What altitude are we at?",
  "Kappa",
  "first time here, this is so calm",
  "Is that the coast already?",
  "no way, what a view",
  "smoothest landing of the week",
  "which headset is that?",
  "the sunset from last Tuesday was even better",
  "turbulence ahead, hold on to your coffee",
  "can you see the lighthouse from up there?",
  "back from dinner, what did I miss?",
  "that was close",
  "more of this, please",
  "the tower sounds sleepy today",
  "see you all tomorrow ♥",
  // Texts that a page could mistake for something else.
  "<b>not bold</b> &amp; never will be",
  "\u202Edaed si idib",
  "👨‍👩‍👧‍👦 the whole family is watching",
  "=SUM(1;1)",
];
const COLORS = ["#9146FF", "#1E90FF", "#00FF7F", "#FF69B4", null];

export function commentCount(vod: Vod): number {
  return Math.floor((durationSecOf(vod) / 60) * vod.chat.commentsPerMinute);
}

/** The first comment at or after the offset. */
export function firstCommentAt(vod: Vod, offsetSec: number): number {
  let [low, high] = [0, commentCount(vod)];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (commentAt(vod, middle).offsetSec < offsetSec) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Chat comes in waves: every ten minutes, for a minute or two, five times the average. */
const WAVE_SEC = 600;
const WAVE_STRENGTH = 0.8;

/** Delays evenly spread comments; keeps their order. */
function waved(sec: number): number {
  const turn = (2 * Math.PI) / WAVE_SEC;
  return sec - (WAVE_STRENGTH / turn) * (1 - Math.cos(turn * sec));
}

export function commentAt(vod: Vod, number: number): Comment {
  const hash = createHash("sha256").update(`${vod.id}/comment/${number}`).digest();
  const roll = (byte: number, sides: number): number => (hash[byte] ?? 0) % sides;
  const everySec = 60 / Math.max(1, vod.chat.commentsPerMinute);
  const sec = Math.floor(waved((number + roll(0, 100) / 100) * everySec));
  const raidAtSec = vod.chat.raidAtSec ?? Infinity;
  const offsetSec = sec >= raidAtSec && sec < raidAtSec + 60 ? raidAtSec : sec;
  const name = NAMES[roll(1, NAMES.length)] ?? "viewer";
  const text = LINES[roll(2, LINES.length)] ?? "";
  const hex = hash.toString("hex");
  return {
    number,
    id: `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`,
    offsetSec,
    createdAt: new Date(vod.createdAt + offsetSec * 1_000).toISOString(),
    commenter:
      number % 23 === 7
        ? null
        : {
            id: String(700_000 + roll(1, NAMES.length)),
            login: name.toLowerCase().replace(/\W/g, "") || "viewer",
            name,
          },
    fragments:
      text === "Kappa"
        ? [
            { text: "Kappa", emoteId: "25" },
            { text: " nice one", emoteId: null },
          ]
        : [{ text, emoteId: null }],
    badges: roll(3, 4) === 0 ? [{ setId: "subscriber", version: "12" }] : [],
    color: COLORS[roll(4, COLORS.length)] ?? null,
  };
}
