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

/** What `searchChat` looks through: too slow to make for every change of a search. */
export function searchTexts(messages: readonly ChatMessage[]): readonly string[] {
  return messages.map(({ name, parts }) => {
    let line = `${name ?? ""}: `;
    for (const { text } of parts) line += text;
    return line.toLowerCase();
  });
}

/** The messages whose sender or text contains a term that is not empty. */
export function searchChat(
  messages: readonly ChatMessage[],
  texts: readonly string[],
  term: string,
): readonly ChatMessage[] {
  return messages.filter((_message, index) => texts[index]?.includes(term));
}
