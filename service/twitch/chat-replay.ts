import type { TwitchVodId } from "#contract/ids.ts";
import type { Clock } from "#service/ports/clock.ts";
import { chatPageSchema, describeComment } from "./chat-shapes.ts";
import { type GqlClient, gqlError } from "./gql-client.ts";
import type { GqlRefusal } from "./send-gql.ts";
import { videoComments } from "./gql-operation.ts";
import { goneAtSource } from "./playback-token.ts";
import { SourceError } from "#service/source/source-error.ts";
import type { ChatComment, ChatPage, ChatStart } from "#service/source/source.ts";

/*
 * Reads chat page by page. The next page is requested only when the last one was consumed, so that
 * memory does not grow with the number of comments.
 *
 * There are two ways to get the next page (docs/twitch.md#chat-replay):
 * - by the cursor of the last comment, until Twitch reports no next page. This is lossless, but
 *   Twitch may refuse cursors to every client ("failed integrity check").
 * - by offset: request again at the second of the last comment and drop duplicates. If a second has
 *   more comments than a page, the rest of that second is lost, and the page says so. Once a cursor
 *   was refused or led back, only offsets are used for this VOD.
 */

/** Twitch may return null while it still loads comments (TwitchDownloader waits too). */
const NULL_RETRY_DELAYS_MS = [100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000];

/** Retry delays for a failed page; a long replay has thousands of pages. */
const RETRY_DELAYS_MS = [1_000, 2_000, 4_000, 8_000];

/** Ids kept to detect duplicates: pages have about 100 comments and overlap by at most a page. */
const REMEMBERED_COMMENTS = 5_000;

/** Ten million comments; the busiest replays have one or two. */
const MAX_PAGES = 100_000;

/** Pages in a row without a new comment before reading fails. */
const MAX_FRUITLESS_PAGES = 50;

type Position = { readonly cursor: string } | { readonly offsetSec: number };

type TwitchPage = {
  readonly comments: readonly ChatComment[];
  readonly lastCursor: string | null;
  readonly hasNext: boolean;
};

/** Pages in order, each comment once. @throws {SourceError} */
export async function* readChatReplay(
  gql: GqlClient,
  clock: Clock,
  vodId: TwitchVodId,
  from: ChatStart,
  signal?: AbortSignal,
): AsyncGenerator<ChatPage> {
  const memory = createMemory(from.knownIds);
  let mayUseCursors = true;
  let position: Position = { offsetSec: Math.floor(from.sec) };
  let lastOffsetSec = position.offsetSec;
  let fruitlessPages = 0;
  let shortSeconds: number[] = [];
  /** Since the last new comment. */
  const followed = new Set<string>();
  for (let pages = 1; ; pages += 1) {
    if (pages > MAX_PAGES)
      throw new SourceError("source_corrupt", "Twitch's chat replay does not end.");
    const page: TwitchPage | "cursor_refused" = await readPage(gql, clock, vodId, position, signal);
    if (page === "cursor_refused") {
      mayUseCursors = false;
      position = { offsetSec: lastOffsetSec };
      continue;
    }
    const fresh = page.comments.filter((comment) => memory.isNew(comment.id));
    const hasMore = page.hasNext && page.comments.length > 0;
    const isRepeated = fresh.length === 0;
    if (!isRepeated || (!hasMore && shortSeconds.length > 0)) {
      yield { comments: fresh, shortSeconds };
      shortSeconds = [];
    }
    if (!hasMore) return;
    fruitlessPages = isRepeated ? fruitlessPages + 1 : 0;
    const isByOffset = "offsetSec" in position;
    if (fruitlessPages > MAX_FRUITLESS_PAGES && isByOffset)
      throw new SourceError("try_later", "Twitch keeps repeating the same page of chat.");
    const reachedSec = Math.floor(page.comments.at(-1)?.offsetSec ?? lastOffsetSec);
    const isAhead = reachedSec > lastOffsetSec;
    lastOffsetSec = Math.max(reachedSec, lastOffsetSec);
    // Pages may repeat what was known before; a cursor that was followed already leads nowhere.
    if (!isRepeated) followed.clear();
    const leadsBack = fruitlessPages > MAX_FRUITLESS_PAGES || followed.has(page.lastCursor ?? "");
    if (mayUseCursors && page.lastCursor !== null && !leadsBack) {
      followed.add(page.lastCursor);
      position = { cursor: page.lastCursor };
      continue;
    }
    mayUseCursors = false;
    if (!isByOffset) fruitlessPages = 0;
    else if (isRepeated && !isAhead) {
      // The page ends within this second, and there is no way to the rest of it.
      shortSeconds.push(lastOffsetSec);
      lastOffsetSec += 1;
    }
    position = { offsetSec: lastOffsetSec };
  }
}

async function readPage(
  gql: GqlClient,
  clock: Clock,
  vodId: TwitchVodId,
  position: Position,
  signal: AbortSignal | undefined,
): Promise<TwitchPage | "cursor_refused"> {
  const nullRetryDelays = NULL_RETRY_DELAYS_MS.values();
  const retryDelays = RETRY_DELAYS_MS.values();
  for (;;) {
    signal?.throwIfAborted();
    const asked = gql.tryAsk(
      {
        operation: videoComments,
        variables:
          "cursor" in position
            ? { videoID: vodId, cursor: position.cursor }
            : { videoID: vodId, contentOffsetSeconds: position.offsetSec },
        signal,
      },
      chatPageSchema,
    );
    const answer = await asked.catch(sourceError);
    if (answer instanceof SourceError) {
      const delay = retryDelays.next();
      if (delay.done === true) throw answer;
      await clock.sleep(answer.retryAfterMs ?? delay.value, signal);
      continue;
    }
    if (!answer.ok) {
      const { refusal } = answer;
      if (refusal.kind !== "transient" && "cursor" in position) return "cursor_refused";
      const delay = retryDelays.next();
      if (isFinal(refusal) || delay.done === true) throw gqlError(refusal);
      await clock.sleep(refusal.retryAfterMs ?? delay.value, signal);
      continue;
    }
    const { video } = answer.data;
    if (video === null) throw goneAtSource();
    if (video.id !== vodId)
      throw new SourceError("try_later", "Twitch returned a different VOD's chat.");
    if (video.comments !== null && video.comments !== undefined) {
      const { edges, pageInfo } = video.comments;
      return {
        comments: edges.map((edge) => describeComment(edge.node)),
        lastCursor: edges.at(-1)?.cursor ?? null,
        hasNext: pageInfo.hasNextPage,
      };
    }
    const delay = nullRetryDelays.next();
    if (delay.done === true)
      throw new SourceError("try_later", "Twitch does not return this VOD's chat.");
    await clock.sleep(delay.value, signal);
  }
}

/** Twitch answers the same question in the same way again. */
function isFinal({ kind }: GqlRefusal): boolean {
  return kind === "integrity" || kind === "unknown_query";
}

/** A broken connection or a timeout, which may pass. */
function sourceError(error: unknown): SourceError {
  if (error instanceof SourceError) return error;
  throw error;
}

/** Keeps only the newest ids; a Set iterates in insertion order. */
function createMemory(knownIds: readonly string[]): { isNew(id: string): boolean } {
  const ids = new Set(knownIds);
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
