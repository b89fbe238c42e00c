import * as z from "zod/mini";
import type { ChatComment } from "#service/source/source.ts";

/**
 * A comment of the replay (docs/twitch.md#chat-replay). Twitch omits or nulls many of its fields.
 */
const nodeSchema = z.object({
  id: z.string().check(z.minLength(1)),
  commenter: z.nullish(
    z.object({
      id: z.string(),
      login: z.nullish(z.string()),
      displayName: z.nullish(z.string()),
    }),
  ),
  contentOffsetSeconds: z.number(),
  createdAt: z.string(),
  message: z.nullish(
    z.object({
      fragments: z.nullish(
        z.array(
          z.object({
            text: z.nullish(z.string()),
            emote: z.nullish(z.object({ emoteID: z.nullish(z.string()) })),
          }),
        ),
      ),
      userBadges: z.nullish(
        z.array(z.nullable(z.object({ setID: z.string(), version: z.string() }))),
      ),
      userColor: z.nullish(z.string()),
    }),
  ),
});
export type ChatNode = z.infer<typeof nodeSchema>;

export const chatPageSchema = z.object({
  video: z.nullable(
    z.object({
      id: z.string(),
      comments: z.nullish(
        z.object({
          edges: z.array(z.object({ cursor: z.nullish(z.string()), node: nodeSchema })),
          pageInfo: z.object({ hasNextPage: z.boolean() }),
        }),
      ),
    }),
  ),
});

export function describeComment(node: ChatNode): ChatComment {
  const fragments = (node.message?.fragments ?? []).map((fragment) => ({
    text: fragment.text ?? "",
    emoteId: fragment.emote?.emoteID ?? null,
  }));
  return {
    id: node.id,
    offsetSec: node.contentOffsetSeconds,
    createdAt: node.createdAt,
    commenter: describeCommenter(node.commenter),
    message: {
      body: fragments.map((fragment) => fragment.text).join(""),
      color: node.message?.userColor ?? null,
      fragments,
      badges: (node.message?.userBadges ?? [])
        .filter((badge) => badge !== null && badge.setID !== "")
        .map((badge) => ({ setId: badge?.setID ?? "", version: badge?.version ?? "" })),
    },
  };
}

/** Null if the commenter's account was deleted. */
function describeCommenter(commenter: ChatNode["commenter"]): ChatComment["commenter"] {
  if (commenter === null || commenter === undefined) return null;
  const login = commenter.login ?? "";
  return { id: commenter.id, login, displayName: commenter.displayName ?? login };
}
