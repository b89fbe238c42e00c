import { jsonText } from "#service/db/json-text.ts";
import type { ChatComment } from "#service/source/source.ts";
import * as z from "zod/mini";

/** What the file says of the video. */
export type ChatAbout = {
  readonly vodId: string;
  readonly ownerId: string;
  readonly ownerLogin: string;
  readonly ownerDisplayName: string;
  readonly title: string;
  readonly createdAt: string;
  readonly durationSec: number | null;
};

/*
 * JSON in TwitchDownloader's format, so that its renderers can read it, with each comment on a line
 * of its own, so that pieces of it can be cut and joined between lines.
 */

/** Everything before the comments. */
export function chatHeader(about: ChatAbout, nowMs: number): string {
  const createdAt = new Date(nowMs).toISOString();
  const head = {
    FileInfo: {
      Version: { Major: 1, Minor: 4, Patch: 0 },
      CreatedAt: createdAt,
      UpdatedAt: createdAt,
    },
    streamer: {
      name: about.ownerDisplayName,
      login: about.ownerLogin,
      id: Number(about.ownerId),
    },
    video: {
      title: about.title,
      id: about.vodId,
      created_at: about.createdAt,
      start: 0,
      end: about.durationSec,
      length: about.durationSec,
    },
  };
  return `${JSON.stringify(head).slice(0, -1)},"comments":[`;
}

/** Between two comments. */
export const CHAT_SEPARATOR = ",\n";

export const CHAT_END = `\n],"embeddedData":null}\n`;

/**
 * Stands for the sender of a comment whose account was deleted. TwitchDownloader reads the names of
 * every sender, so there has to be one.
 */
const DELETED_USER = { display_name: "Deleted user", _id: "", name: "" };

/** The text, one comment on a line, with {@link DELETED_USER} for senders whose ids are in `erased`. */
export function eraseSenders(text: string, erased: ReadonlySet<string>): string {
  const names = [...erased].map((id) => `"_id":"${id}"`);
  const erase = (line: string) => {
    if (!names.some((name) => line.includes(name))) return line;
    const separator = line.endsWith(",") ? "," : "";
    const comment = storedComment.parse(line.slice(0, line.length - separator.length));
    if (!erased.has(comment.commenter._id)) return line;
    return JSON.stringify({ ...comment, commenter: DELETED_USER }) + separator;
  };
  return text.split("\n").map(erase).join("\n");
}

const storedComment = jsonText(z.looseObject({ commenter: z.looseObject({ _id: z.string() }) }));

export function chatLine(
  comment: ChatComment,
  { vodId, ownerId }: Pick<ChatAbout, "vodId" | "ownerId">,
): string {
  const { commenter, message } = comment;
  return JSON.stringify({
    _id: comment.id,
    created_at: comment.createdAt,
    channel_id: ownerId,
    content_type: "video",
    content_id: vodId,
    content_offset_seconds: comment.offsetSec,
    commenter:
      commenter === null
        ? DELETED_USER
        : { display_name: commenter.displayName, _id: commenter.id, name: commenter.login },
    message: {
      body: message.body,
      bits_spent: 0,
      fragments: message.fragments.map(({ text, emoteId }) => ({
        text,
        emoticon: emoteId === null ? null : { emoticon_id: emoteId },
      })),
      user_badges: message.badges.map(({ setId, version }) => ({ _id: setId, version })),
      user_color: message.color,
    },
  });
}
