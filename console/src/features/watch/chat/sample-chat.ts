import type { ChatMessage } from "#contract/chat.ts";

const NAMES = ["sky_watcher", "nuée blanche", "<b>Löwe</b>", null, "flipped"];
const COLORS = ["#9146FF", "#00FF7F", "#000000", "#FFFFFF", "#FFFF00", null];
const TEXTS = ["Good evening!", "that cloud looks like a whale", "<i>not markup</i> ".repeat(9)];

/** Messages a second apart, four a second around the middle. */
export function sampleChat(count: number): ChatMessage[] {
  return Array.from({ length: count }, (_, index) => ({
    offsetSec: index < count / 2 ? index : count / 2 + (index - count / 2) / 4,
    name: NAMES[index % NAMES.length] ?? null,
    color: COLORS[index % COLORS.length] ?? null,
    badges: index % 4 === 0 ? ["subscriber", "sub-gifter"] : [],
    parts: [
      { text: `${TEXTS[index % TEXTS.length]} ${index}`, isEmote: false },
      ...(index % 3 === 0 ? [{ text: "Kappa", isEmote: true }] : []),
    ],
  }));
}
