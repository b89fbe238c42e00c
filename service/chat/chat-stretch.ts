import type { Platform } from "#service/platform.ts";
import type { ChatPage } from "#service/source/source.ts";
import { partOf } from "#service/storage/item-id.ts";
import { readPlan, type ChatUpload } from "./chat-file.ts";
import type { ChatRow } from "./chat-row.ts";

/** What of a VOD's chat belongs to a stored part. */
export type ChatStretch = { readonly beginsAtSec: number; readonly endSec: number };

/**
 * Null for a whole VOD. The chat of a part begins where its video does, which its plan says;
 * `unplanned`: there is no plan yet.
 */
export async function findStretch(
  platform: Platform,
  chat: ChatRow,
  upload: ChatUpload,
): Promise<ChatStretch | "unplanned" | null> {
  const part = partOf(upload.vod_id);
  if (part === null) return null;
  const planned = (await readPlan(platform, chat, upload))?.part;
  if (planned === undefined && ["pending", "processing"].includes(upload.status))
    return "unplanned";
  return planned ?? { beginsAtSec: part.startSec, endSec: part.endSec };
}

/** The comments of the stretch, at their times in it. */
export async function* pagesOfStretch(
  pages: AsyncIterable<ChatPage> | Iterable<ChatPage>,
  { beginsAtSec, endSec }: ChatStretch,
): AsyncGenerator<ChatPage> {
  const isInside = (sec: number) => sec >= beginsAtSec && sec < endSec;
  for await (const page of pages) {
    const comments = page.comments
      .filter(({ offsetSec }) => isInside(offsetSec))
      .map((each) => ({ ...each, offsetSec: each.offsetSec - beginsAtSec }));
    const shortSeconds = page.shortSeconds
      .filter(isInside)
      .map((sec) => Math.max(0, Math.floor(sec - beginsAtSec)));
    if (comments.length > 0 || shortSeconds.length > 0) yield { comments, shortSeconds };
    if ((page.comments.at(-1)?.offsetSec ?? 0) >= endSec) return;
  }
}
