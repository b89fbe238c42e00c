import { durationSecOf, isLiveFor, statedDurationSec, type Vod } from "../catalog/vod.ts";
import { mediaFolder } from "../catalog/vod-table.ts";
import { avatarUrl } from "../helix/users.ts";
import { thumbnailTemplate } from "../helix/videos.ts";
import type { World } from "../world.ts";
import { commentAt, commentCount, firstCommentAt, type Comment } from "./chat.ts";

/** The argument requires a client that solved a challenge (docs/twitch.md#web-api). */
export class IntegrityError extends Error {
  override readonly name = "IntegrityError";
}

/** Field values, or functions of the arguments that return them. */
export type GqlObject = { readonly [field: string]: unknown };
type Args = Readonly<Record<string, unknown>>;

/** Permissions of the client. */
export type Viewer = {
  /** False for the web player's own client id (docs/twitch.md#chat-replay). */
  readonly mayUseCursors: boolean;
};

/** The fields of Video that the clients here request; Twitch has no `expiresAt` either. */
export function videoObject(world: World, vod: Vod, viewer: Viewer): GqlObject {
  const owner = world.accounts.get(vod.ownerId);
  const createdAt = new Date(vod.createdAt).toISOString();
  const game = vod.games[0];
  const thumbnail = thumbnailTemplate(world, vod);
  const person: GqlObject = {
    id: vod.ownerId,
    login: owner?.login ?? "",
    displayName: owner?.displayName ?? "",
    channel: { id: vod.ownerId },
    profileImageURL: () => (owner === null ? null : avatarUrl(world, owner)),
  };
  return {
    id: vod.id,
    title: vod.title,
    description: "",
    createdAt,
    publishedAt: createdAt,
    lengthSeconds: Math.floor(statedDurationSec(vod, "webApi")),
    viewCount: 100,
    broadcastType: vod.type.toUpperCase(),
    status: isLiveFor(vod, "webApi") ? "RECORDING" : "RECORDED",
    owner: person,
    creator: person,
    game: game === undefined ? null : gameObject(game),
    // Without a size the placeholders remain, without percent signs (docs/twitch.md#web-api).
    previewThumbnailURL: (args: Args) =>
      "width" in args ? fillSize(thumbnail, args) : thumbnail.replaceAll("%{", "{"),
    seekPreviewsURL: `${storyboards(world, vod)}-info.json`,
    moments: () => momentsOf(vod),
    comments: (args: Args) => commentsOf(vod, viewer, args),
  };
}

function gameObject({ id, name }: Vod["games"][number]): GqlObject {
  return { id, name, displayName: name, boxArtURL: null };
}

function storyboards(world: World, vod: Vod): string {
  return `${world.addresses().media}/media/${mediaFolder(vod)}/storyboards/${vod.id}`;
}

function fillSize(template: string, args: Args): string {
  const sizeOf = (name: string, usual: number): string => {
    const given = args[name];
    return String(typeof given === "number" ? given : usual);
  };
  return template
    .replace("%{width}", sizeOf("width", 320))
    .replace("%{height}", sizeOf("height", 180));
}

/** Chapters: none for a single game; the last has length 0 while live (docs/twitch.md#chapters). */
function momentsOf(vod: Vod): GqlObject {
  const totalMs = durationSecOf(vod) * 1_000;
  const isLive = vod.status === "RECORDING";
  const games = vod.games.length > 1 ? vod.games : [];
  const eachMs = games.length === 0 ? 0 : Math.floor(totalMs / games.length);
  return {
    edges: games.map((game, position) => {
      const isLast = position === games.length - 1;
      const positionMs = position * eachMs;
      return {
        cursor: "",
        node: {
          id: `${vod.id}-moment-${position}`,
          durationMilliseconds: isLast ? (isLive ? 0 : totalMs - positionMs) : eachMs,
          positionMilliseconds: positionMs,
          type: "GAME_CHANGE",
          description: game.name,
          subDescription: "",
          thumbnailURL: "",
          details: { game: gameObject(game) },
          video: { id: vod.id, lengthSeconds: Math.floor(totalMs / 1_000) },
          moments: { edges: [] },
        },
      };
    }),
  };
}

/** Comments by offset, or by the cursor of the last edge (docs/twitch.md#chat-replay). */
function commentsOf(vod: Vod, viewer: Viewer, args: Args): GqlObject | null {
  const cursor = args["after"] ?? null;
  if (cursor !== null && !viewer.mayUseCursors) throw new IntegrityError("failed integrity check");
  if (vod.nullCommentsGiven < vod.chat.nullCommentsTimes) {
    vod.nullCommentsGiven += 1;
    return null;
  }
  const total = commentCount(vod);
  const first =
    typeof cursor === "string"
      ? readCursor(cursor) + 1
      : Math.min(total, firstCommentAt(vod, Number(args["contentOffsetSeconds"] ?? 0)));
  const last = Math.min(total, first + vod.chat.commentsPerPage);
  const edges: GqlObject[] = [];
  for (let number = first; number < last; number += 1)
    edges.push({ cursor: writeCursor(vod, number), node: commentObject(commentAt(vod, number)) });
  return { edges, pageInfo: { hasNextPage: last < total, hasPreviousPage: first > 0 } };
}

function writeCursor(vod: Vod, number: number): string {
  const cursor = { id: String(number), hk: `broadcast:${vod.streamId ?? vod.id}`, cor: "stand-in" };
  return Buffer.from(JSON.stringify(cursor)).toString("base64");
}

function readCursor(cursor: string): number {
  const number = /^\{"id":"(\d{1,9})"/.exec(Buffer.from(cursor, "base64").toString("utf8"))?.[1];
  if (number === undefined) throw new Error("invalid cursor");
  return Number(number);
}

function commentObject(comment: Comment): GqlObject {
  const { commenter } = comment;
  return {
    id: comment.id,
    commenter:
      commenter === null
        ? null
        : { id: commenter.id, login: commenter.login, displayName: commenter.name },
    contentOffsetSeconds: comment.offsetSec,
    createdAt: comment.createdAt,
    message: {
      fragments: comment.fragments.map((fragment) => ({
        text: fragment.text,
        emote:
          fragment.emoteId === null
            ? null
            : { id: `${fragment.emoteId};0;4`, emoteID: fragment.emoteId, from: 0 },
      })),
      userBadges: comment.badges.map((badge) => ({
        id: Buffer.from(`${badge.setId};${badge.version};`).toString("base64"),
        setID: badge.setId,
        version: badge.version,
      })),
      userColor: comment.color,
    },
  };
}
