import type { TwitchUserId } from "#contract/ids.ts";
import { SourceError } from "#service/source/source-error.ts";
import type { HelixVideo } from "#service/twitch/helix-shapes.ts";
import type { TwitchApi } from "#service/twitch/twitch-api.ts";

/** 20,000 VODs; channels with 5,000 highlights exist. */
const MAX_PAGES = 200;

/** Twitch sends single empty pages, and pages that repeat others (docs/twitch.md#helix). */
const MAX_BARREN_PAGES = 5;

type VodPage = {
  /** Those that were on no page before, which may be none. */
  readonly videos: readonly HelixVideo[];
  /** Then all pages were read. The list may nevertheless have skipped VODs. */
  readonly isLast: boolean;
};

/**
 * A channel's VODs as its list has them, the newest first.
 * @throws {SourceError} also when the list does not end
 */
export async function* vodPages(
  api: TwitchApi,
  ownerId: TwitchUserId,
  signal: AbortSignal,
): AsyncGenerator<VodPage, void> {
  const seen = new Set<string>();
  const cursors = new Set<string>();
  let after: string | null = null;
  let barrenPages = 0;
  while (cursors.size < MAX_PAGES && barrenPages < MAX_BARREN_PAGES) {
    const { items, cursor } = await api.videosOf(ownerId, after, signal);
    const fresh = new Map(
      items.filter(({ id }) => !seen.has(id)).map((video) => [video.id, video]),
    );
    for (const id of fresh.keys()) seen.add(id);
    barrenPages = fresh.size === 0 ? barrenPages + 1 : 0;
    yield { videos: [...fresh.values()], isLast: cursor === null };
    if (cursor === null) return;
    if (cursors.has(cursor)) break;
    cursors.add(cursor);
    after = cursor;
  }
  throw new SourceError("try_later", "Twitch's list of this channel's VODs does not end.");
}
