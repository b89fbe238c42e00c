import type { TwitchUserId, TwitchVodId } from "#contract/ids.ts";
import type { TimeRange } from "#contract/upload.ts";
import type { MediaPlaylist } from "#service/hls/media-playlist.ts";

export type TwitchUser = {
  readonly id: TwitchUserId;
  readonly login: string;
  readonly displayName: string;
  readonly email: string | null;
  readonly profileImageUrl: string | null;
};

export type TwitchVideo = {
  readonly id: TwitchVodId;
  readonly ownerId: TwitchUserId;
  readonly ownerLogin: string;
  readonly ownerDisplayName: string;
  readonly title: string;
  readonly createdAt: Date;
  readonly durationSec: number;
  readonly thumbnailUrl: string | null;
  /** True while the VOD is being broadcast and its playlist grows. */
  readonly isRecording: boolean;
  readonly mutedRanges: readonly TimeRange[];
};

export type Rendition = {
  /** Twitch's group id, e.g. "chunked" or "1080p60". */
  readonly name: string;
  readonly playlistUrl: string;
  readonly bandwidthBitsPerSec: number;
  readonly codecs: string | null;
  readonly resolution: string | null;
  readonly framesPerSec: number | null;
};

export type Playback = {
  /** The source rendition: the best picture that this viewer may see, never audio only. */
  readonly source: Rendition;
  readonly renditions: readonly Rendition[];
  /** Renditions that Twitch lists but withholds, e.g. a 1440p source for signed-in viewers only. */
  readonly withheld: readonly string[];
};

export type ChatComment = {
  readonly id: string;
  readonly offsetSec: number;
  readonly createdAt: string;
  readonly commenter: { id: string; login: string; displayName: string } | null;
  readonly message: {
    readonly body: string;
    readonly color: string | null;
    readonly fragments: readonly { text: string; emoteId: string | null }[];
    readonly badges: readonly { setId: string; version: string }[];
  };
};

/**
 * What the archiver needs of Twitch. Every method throws `SourceError`, and rejects with the
 * signal's reason when `signal` aborts.
 */
export type VodSource = {
  getVideo(vodId: TwitchVodId, signal?: AbortSignal): Promise<TwitchVideo>;
  /** Requests a playback token (inline query first, then persisted), then asks usher v2 and v1. */
  openPlayback(vodId: TwitchVodId, signal?: AbortSignal): Promise<Playback>;
  readPlaylist(rendition: Rendition, signal?: AbortSignal): Promise<MediaPlaylist>;
  /** Pages of chat from the VOD's start, in order, each comment once. */
  readChat(vodId: TwitchVodId, signal?: AbortSignal): AsyncIterable<readonly ChatComment[]>;
  /**
   * Fetches media from allowed hosts only: https (http for listed loopback hosts), no credentials
   * in the address, no unlisted IP literals. Each redirect is checked again. Resolves with any
   * status; rejects with `SourceError` for a forbidden address or a broken connection.
   */
  fetchMedia(
    url: string,
    init?: { signal?: AbortSignal; headers?: Record<string, string> },
  ): Promise<Response>;
};
