import type { ChatMessage } from "#contract/chat.ts";

/** The index of the last message up to a time; -1 before the first one. */
export function lastUpTo(messages: readonly ChatMessage[], sec: number): number {
  let [low, high] = [0, messages.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((messages[middle]?.offsetSec ?? 0) <= sec) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The messages whose sender or text contains a term; all of them without one. */
export function searchChat(
  messages: readonly ChatMessage[],
  search: string,
): readonly ChatMessage[] {
  const term = search.trim().toLowerCase();
  if (term === "") return messages;
  return messages.filter(({ name, parts }) =>
    `${name ?? ""}: ${parts.map(({ text }) => text).join("")}`.toLowerCase().includes(term),
  );
}
