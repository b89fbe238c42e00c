import type { MediaPlaylist } from "#service/hls/media-playlist.ts";
import { SourceError } from "#service/hls/source-error.ts";
import type { Rendition, TwitchVideo } from "#service/twitch/twitch-client.ts";
import type { ArchiveDeps } from "./archive-deps.ts";
import type { ArchiveManifest } from "./archive-manifest.ts";
import type { ArchiveRow } from "./archive-row.ts";
import { ArchiveFailed, TryLater } from "./run-end.ts";

/** What the source reports about a VOD at one time. */
export type SourceAnswer = {
  readonly video: TwitchVideo;
  readonly rendition: Rendition;
  readonly playlist: MediaPlaylist;
};

/**
 * Reads the VOD, its renditions and a playlist: that of the planned rendition, or that of the
 * source rendition if there is no plan yet.
 * @throws {TryLater} {ArchiveFailed}
 */
export async function askSource(
  deps: ArchiveDeps,
  row: Pick<ArchiveRow, "vod_id">,
  planned: ArchiveManifest["rendition"] | null,
): Promise<SourceAnswer> {
  const { source, signal } = deps;
  try {
    const video = await source.getVideo(row.vod_id, signal);
    deps.progress.touch();
    const playback = await source.openPlayback(row.vod_id, signal);
    deps.progress.touch();
    const rendition =
      planned === null
        ? playback.source
        : (playback.renditions.find((each) => each.name === planned.name) ?? planned);
    const playlist = await source.readPlaylist(rendition, signal);
    deps.progress.touch();
    return { video, rendition, playlist };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (!(error instanceof SourceError)) throw error;
    deps.progress.touch();
    if (error.failureClass === "try_later")
      throw new TryLater("source", error.message, {
        cause: error,
        retryAfterMs: error.retryAfterMs,
      });
    throw new ArchiveFailed(error.failureClass, error.message, { cause: error });
  }
}
