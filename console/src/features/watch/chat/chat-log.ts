import { useQuery } from "@tanstack/react-query";
import { createChatReader, type ChatMessage } from "#contract/chat.ts";

/** Parsing lets the page respond after this long: less than a frame. */
const SLICE_MS = 8;

/** The chat replay at an address of a stored file. */
export function useChatLog(url: string) {
  return useQuery({
    // The name in the address is made of ids; the grant before it is new each time.
    queryKey: ["chat", url.slice(url.lastIndexOf("/"))],
    queryFn: ({ signal }) => readChatLog(url, signal),
    staleTime: Infinity,
    // A busy chat has hundreds of thousands of messages.
    gcTime: 0,
    structuralSharing: false,
  });
}

/** Reads a stored replay while it arrives; its messages are in the order of time. */
export async function readChatLog(url: string, signal?: AbortSignal): Promise<ChatMessage[]> {
  const response = await fetch(url, { ...(signal && { signal }) });
  if (!response.ok || response.body === null)
    throw new Error("The chat replay could not be read from the store.");
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const read = createChatReader();
  const messages: ChatMessage[] = [];
  let sliceStartedMs = performance.now();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    for (const message of read(value)) messages.push(message);
    if (performance.now() - sliceStartedMs < SLICE_MS) continue;
    await new Promise((resolve) => setTimeout(resolve));
    sliceStartedMs = performance.now();
  }
  return messages.sort((left, right) => left.offsetSec - right.offsetSec);
}

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
