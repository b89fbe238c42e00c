import * as z from "zod/mini";
import { clockTime } from "./clock-time.ts";

/** A message of a stored chat replay. Its texts are untrusted. */
export type ChatMessage = {
  readonly offsetSec: number;
  /** Null if the sender's account was deleted. */
  readonly name: string | null;
  /** `#rrggbb`, as the sender chose it. */
  readonly color: string | null;
  /** The kinds of badges, e.g. "subscriber". */
  readonly badges: readonly string[];
  readonly parts: readonly ChatPart[];
};

/** A piece of text, or the name of an emote. */
type ChatPart = { readonly text: string; readonly isEmote: boolean };

const commentSchema = z.object({
  content_offset_seconds: z.number().check(z.nonnegative()),
  commenter: z.nullish(z.object({ display_name: z.nullish(z.string()) })),
  message: z.object({
    body: z.nullish(z.string()),
    fragments: z.nullish(z.array(z.object({ text: z.string(), emoticon: z.nullish(z.unknown()) }))),
    user_badges: z.nullish(z.array(z.object({ _id: z.string() }))),
    user_color: z.nullish(z.string()),
  }),
});

/** Far longer than any comment; longer lines are not kept in memory. */
const MAX_LINE_CHARACTERS = 1_000_000;

/**
 * Reads a stored replay piece by piece: JSON in TwitchDownloader's format, with each comment on a
 * line of its own. Lines that are not comments are skipped.
 */
export function createChatReader(): (text: string) => ChatMessage[] {
  let rest = "";
  return (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > MAX_LINE_CHARACTERS) rest = "";
    return lines.flatMap((line) => readComment(line.trim().replace(/,$/, "")) ?? []);
  };
}

function readComment(line: string): ChatMessage | null {
  if (!line.startsWith("{")) return null;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  const { data } = z.safeParse(commentSchema, value);
  if (data === undefined) return null;
  const { body, fragments, user_badges: badges, user_color: color } = data.message;
  const parts = (fragments ?? []).map(({ text, emoticon }) => ({
    text,
    isEmote: emoticon !== null && emoticon !== undefined,
  }));
  return {
    offsetSec: data.content_offset_seconds,
    name: data.commenter?.display_name ?? null,
    color: /^#[0-9a-f]{6}$/i.test(color ?? "") ? (color ?? null) : null,
    badges: (badges ?? []).map((badge) => badge._id),
    parts: parts.length > 0 ? parts : [{ text: body ?? "", isEmote: false }],
  };
}

/** Some of the seconds that lack messages, e.g. "0:01:05, 0:01:06 and later"; empty for none. */
export function shortTimes(shortSeconds: readonly number[]): string {
  const shown = shortSeconds.slice(0, 3).map(clockTime).join(", ");
  return shortSeconds.length > 3 ? `${shown} and later` : shown;
}
