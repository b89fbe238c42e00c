import * as z from "zod/mini";
import type { Chapter } from "#contract/files.ts";
import type { TwitchVodId } from "#contract/ids.ts";
import type { GqlClient } from "./gql-client.ts";
import { videoChapters } from "./gql-operation.ts";

/** A broadcast of 48 hours that changes its category every six minutes. */
const MAX_CHAPTERS = 480;
const MAX_TITLE_LENGTH = 200;

const momentsSchema = z.object({
  video: z.nullable(
    z.object({
      id: z.string(),
      moments: z.nullish(
        z.object({
          edges: z.array(
            z.object({
              node: z.object({
                positionMilliseconds: z.number().check(z.nonnegative()),
                type: z.string(),
                description: z.nullish(z.string()),
              }),
            }),
          ),
        }),
      ),
    }),
  ),
});

/** The VOD's changes of category, in order (docs/twitch.md#chapters). @throws {SourceError} */
export async function readChapters(
  gql: GqlClient,
  vodId: TwitchVodId,
  signal?: AbortSignal,
): Promise<readonly Chapter[]> {
  const { video } = await gql.ask(
    { operation: videoChapters, variables: { videoID: vodId }, signal },
    momentsSchema,
  );
  const starts = new Map<number, string>();
  for (const { node } of video?.id === vodId ? (video.moments?.edges ?? []) : [])
    if (node.type === "GAME_CHANGE")
      starts.set(node.positionMilliseconds / 1_000, node.description ?? "");
  return [...starts]
    .sort(([left], [right]) => left - right)
    .slice(0, MAX_CHAPTERS)
    .map(([startSec, title]) => ({
      startSec,
      title: title.slice(0, MAX_TITLE_LENGTH) || "No category",
    }));
}
