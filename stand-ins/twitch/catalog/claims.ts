/** The parts of Twitch that answer for a VOD, each from its own records. */
export type TwitchPart = "helix" | "webApi" | "usher" | "cdn";

/** What one part says of a VOD; absent: what is so. */
export type Claims = {
  readonly isMissing?: boolean;
  readonly durationSec?: number;
  /** Helix's list of streams, the web API's status, or a playlist without EXT-X-ENDLIST. */
  readonly isLive?: boolean;
  /** Only the CDN: the playlist ends after this many segments, although the others are there. */
  readonly listedSegments?: number;
};

export function noClaims(): Record<TwitchPart, Claims> {
  return { helix: {}, webApi: {}, usher: {}, cdn: {} };
}
