import { replaceHidden } from "#service/hidden-characters.ts";
import { createChatReader, type ChatMessage } from "#contract/chat.ts";
import { clockTime } from "#contract/clock-time.ts";

/** A stored chat replay as lines like `[1:02:03] Name: message`, written as it is read. */
export function chatText(json: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const read = createChatReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  return json.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        const lines = read(decoder.decode(bytes, { stream: true })).map(line);
        if (lines.length > 0) controller.enqueue(encoder.encode(lines.join("")));
      },
    }),
  );
}

function line({ offsetSec, name, parts }: ChatMessage): string {
  const text = parts.map((part) => part.text).join("");
  const said = replaceHidden(`${name ?? "(deleted user)"}: ${text}`, "\uFFFD");
  return `[${clockTime(offsetSec)}] ${said}\n`;
}
