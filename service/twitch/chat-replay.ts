import type { TwitchVodId } from "#contract/ids.ts";
import type { Clock } from "#service/ports/clock.ts";
import { chatPageSchema, describeComment } from "./chat-shapes.ts";
import { GQL_CLIENT_IDS, type GqlClient, gqlError } from "./gql-client.ts";
import { videoComments } from "./gql-operation.ts";
import { goneAtSource } from "./playback-token.ts";
import { SourceError } from "./source-error.ts";
import type { ChatComment } from "./twitch-client.ts";

/*
 * Chat is read page by page, the next page asked for only when the last was taken, so that a VOD
 * with millions of comments costs no more memory than one with ten.
 *
 * Two ways to turn the page (docs/twitch.md#chat-replay):
 * - by cursor, the last comment's, until Twitch says that there is no next page. Nothing is lost.
 *   Twitch may refuse cursors to a client ("failed integrity check"); then
 * - by offset: ask again at the second of the last comment and drop what was seen already. A second
 *   with more comments than a page holds loses the rest of that second, which cannot be asked for.
 *   Once cursors were refused, they are not tried again for this VOD.
 */

/** Twitch loads comments late at times and says null meanwhile (TwitchDownloader waits alike). */
const NULL_PAUSES_MS = [100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000];

/** Pauses before trouble ends the reading; a long replay has thousands of pages. */
const TROUBLE_PAUSES_MS = [1_000, 2_000, 4_000, 8_000];

/** Comments remembered to tell repeats: pages overlap by a page at most, and hold about 100. */
const REMEMBERED_COMMENTS = 5_000;

/** Ten million comments; the busiest replays have one or two. */
const MAX_PAGES = 100_000;

/** Offset pages in a row without a new comment, before Twitch is taken not to know its own end. */
const MAX_FRUITLESS_PAGES = 50;

type Position = { readonly cursor: string } | { readonly offsetSec: number };

type ChatPage = {
  readonly comments: readonly ChatComment[];
  readonly lastCursor: string | null;
  readonly hasNext: boolean;
};

/** Pages in order, each comment once, none empty. @throws {SourceError} */
export async function* readChatReplay(
  gql: GqlClient,
  clock: Clock,
  vodId: TwitchVodId,
  signal?: AbortSignal,
): AsyncGenerator<readonly ChatComment[]> {
  const memory = createMemory();
  let mayUseCursors = true;
  let position: Position = { offsetSec: 0 };
  let lastOffsetSec = 0;
  let fruitlessPages = 0;
  for (let pages = 1; ; pages += 1) {
    if (pages > MAX_PAGES)
      throw new SourceError("source_corrupt", "Twitch's chat replay does not end.");
    const page: ChatPage | "cursor_refused" = await readPage(gql, clock, vodId, position, signal);
    if (page === "cursor_refused") {
      mayUseCursors = false;
      position = { offsetSec: lastOffsetSec };
      continue;
    }
    const fresh = page.comments.filter((comment) => memory.isNew(comment.id));
    if (fresh.length > 0) yield fresh;
    if (!page.hasNext || page.comments.length === 0) return;
    fruitlessPages = fresh.length > 0 ? 0 : fruitlessPages + 1;
    if (fruitlessPages > MAX_FRUITLESS_PAGES)
      throw new SourceError("try_later", "Twitch keeps repeating the same page of chat.");
    const reachedSec = Math.floor(page.comments.at(-1)?.offsetSec ?? lastOffsetSec);
    const stuck = fresh.length === 0;
    lastOffsetSec = Math.max(reachedSec, stuck ? lastOffsetSec + 1 : lastOffsetSec);
    position =
      mayUseCursors && page.lastCursor !== null && !stuck
        ? { cursor: page.lastCursor }
        : { offsetSec: lastOffsetSec };
  }
}

async function readPage(
  gql: GqlClient,
  clock: Clock,
  vodId: TwitchVodId,
  position: Position,
  signal: AbortSignal | undefined,
): Promise<ChatPage | "cursor_refused"> {
  const nullPauses = NULL_PAUSES_MS.values();
  const troublePauses = TROUBLE_PAUSES_MS.values();
  for (;;) {
    signal?.throwIfAborted();
    const answer = await gql.tryAsk(
      {
        operation: videoComments,
        variables:
          "cursor" in position
            ? { videoID: vodId, cursor: position.cursor }
            : { videoID: vodId, contentOffsetSeconds: position.offsetSec },
        clientId: GQL_CLIENT_IDS.chat,
        signal,
      },
      chatPageSchema,
    );
    if (!answer.ok) {
      const { refusal } = answer;
      if (refusal.kind === "integrity" && "cursor" in position) return "cursor_refused";
      const pause = troublePauses.next();
      if (refusal.kind !== "transient" || pause.done === true) throw gqlError(refusal);
      await clock.sleep(refusal.retryAfterMs ?? pause.value, signal);
      continue;
    }
    const { video } = answer.data;
    if (video === null) throw goneAtSource();
    if (video.id !== vodId)
      throw new SourceError("try_later", "Twitch answered with another VOD's chat.");
    if (video.comments !== null && video.comments !== undefined) {
      const { edges, pageInfo } = video.comments;
      return {
        comments: edges.map((edge) => describeComment(edge.node)),
        lastCursor: edges.at(-1)?.cursor ?? null,
        hasNext: pageInfo.hasNextPage,
      };
    }
    const pause = nullPauses.next();
    if (pause.done === true)
      throw new SourceError("try_later", "Twitch does not load this VOD's chat.");
    await clock.sleep(pause.value, signal);
  }
}

/** Remembers the newest ids only: sets keep the order in which things came. */
function createMemory(): { isNew(id: string): boolean } {
  const ids = new Set<string>();
  return {
    isNew(id) {
      if (ids.has(id)) return false;
      ids.add(id);
      for (const oldest of ids) {
        if (ids.size <= REMEMBERED_COMMENTS) break;
        ids.delete(oldest);
      }
      return true;
    },
  };
}
