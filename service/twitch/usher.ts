import type { TwitchVodId } from "#contract/ids.ts";
import { parseMasterPlaylist } from "#service/source/master-playlist.ts";
import { MAX_MASTER_PLAYLIST_BYTES } from "#service/source/playlist-text.ts";
import { BROWSER_USER_AGENT } from "./send-gql.ts";
import type { PlaybackToken } from "./playback-token.ts";
import { readRetryAfterMs } from "#service/source/retry-after.ts";
import type { Playback } from "#service/source/source.ts";
import { SourceError } from "#service/source/source-error.ts";
import type { TwitchContext } from "./twitch-context.ts";
import { quoteTwitch, readTwitchWords, type TwitchWords } from "./twitch-words.ts";
import { API_LIMITS, requestText, type TextAnswer } from "#service/source/upstream-request.ts";

export type UsherAnswer =
  | { readonly kind: "master"; readonly master: Playback }
  /** This viewer may not see the VOD; v1 would refuse it as well. */
  | { readonly kind: "restricted"; readonly error: SourceError }
  /** Expired or invalid, or refused with a code that this service does not know. */
  | { readonly kind: "token_refused"; readonly said: TwitchWords }
  | { readonly kind: "unknown_vod"; readonly said: TwitchWords }
  | { readonly kind: "failed"; readonly error: SourceError };

/** Twitch's player uses `v2` since 2026; `v1` still works (docs/twitch.md#usher). */
export type UsherGeneration = "v1" | "v2";

/** Codes for which no other viewer's token or status matters (docs/twitch.md#usher). */
const RESTRICTIONS: Readonly<Record<string, string>> = {
  vod_manifest_restricted: "Twitch shows this VOD to subscribers only.",
  manifest_restricted: "Twitch shows this VOD to subscribers only.",
  unauthorized_entitlements: "Twitch shows this VOD to subscribers only.",
  content_geoblocked: "Twitch blocks this VOD in the region of this service.",
  geoblocked: "Twitch blocks this VOD in the region of this service.",
};

/** Requests the list of renditions. Rejects only with the reason of `signal`. */
export async function askUsher(
  { platform, settings }: TwitchContext,
  generation: UsherGeneration,
  vodId: TwitchVodId,
  token: PlaybackToken,
  signal?: AbortSignal,
): Promise<UsherAnswer> {
  const folder = generation === "v2" ? "vod/v2" : "vod";
  const address = `${settings.TWITCH_USHER_URL}/${folder}/${vodId}.m3u8`;
  const query = usherQuery(token, platform.random.bytes(3));
  try {
    const answer = await requestText(
      platform.fetch,
      "Twitch's playlist server",
      `${address}?${query}`,
      { headers: { "user-agent": BROWSER_USER_AGENT } },
      { ...API_LIMITS, maxBytes: MAX_MASTER_PLAYLIST_BYTES },
      signal,
    );
    if (answer.status === 200)
      return { kind: "master", master: parseMasterPlaylist(answer.text, address) };
    return readRefusal(answer, platform.clock.now());
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    // Twitch may send another list, or a later version may be able to archive what this one names.
    const isUnreadable = error.failureClass === "source_corrupt";
    return {
      kind: "failed",
      error: isUnreadable ? new SourceError("try_later", error.message, { cause: error }) : error,
    };
  }
}

/** Requests every codec, to list HEVC and AV1 sources, and the withheld renditions. */
function usherQuery(token: PlaybackToken, randomBytes: Uint8Array): string {
  return new URLSearchParams({
    sig: token.signature,
    token: token.value,
    allow_source: "true",
    allow_audio_only: "true",
    platform: "web",
    player_backend: "mediaplayer",
    playlist_include_framerate: "true",
    supported_codecs: "av1,h265,h264",
    include_unavailable: "true",
    p: String(randomBytes.reduce((number, byte) => number * 256 + byte, 0)),
  }).toString();
}

/** The code counts before the status, because usher sends the same code with several statuses. */
function readRefusal({ status, headers, text }: TextAnswer, nowMs: number): UsherAnswer {
  const said = readTwitchWords(text);
  const code = said.code.toLowerCase();
  const restriction = Object.hasOwn(RESTRICTIONS, code) ? RESTRICTIONS[code] : undefined;
  if (restriction !== undefined)
    return {
      kind: "restricted",
      error: new SourceError("needs_entitlement", quoteTwitch(restriction, said)),
    };
  if (status === 401 || status === 403) return { kind: "token_refused", said };
  const isNotFound = code === "" || /not_found|not_exist/.test(code);
  if ((status === 404 || status === 410) && isNotFound) return { kind: "unknown_vod", said };
  const sentence = `Twitch's playlist server answered with status ${status}.`;
  return {
    kind: "failed",
    error: new SourceError("try_later", quoteTwitch(sentence, said), {
      retryAfterMs: readRetryAfterMs(headers, nowMs),
    }),
  };
}
