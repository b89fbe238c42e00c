import { jsonAnswer, textAnswer, type Answer } from "../http/answer.ts";
import type { Exchange } from "../http/exchange.ts";
import { mediaFolder } from "../catalog/vod-table.ts";
import { playlistName } from "../media/media-playlist.ts";
import type { World } from "../world.ts";
import { renderMaster } from "./master-playlist.ts";
import { isGoodToken } from "./playback-token.ts";

export const masterRe = /^\/vod\/(v2\/)?(\d+)(?:\.m3u8)?$/;

/**
 * usher.ttvnw.net (docs/twitch.md#usher): both versions, and both names of the token parameters.
 */
export function answerUsher(world: World, exchange: Exchange): Answer {
  const match = masterRe.exec(exchange.url.pathname);
  const vodId = match?.[2];
  if (vodId === undefined) return textAnswer(404, "text/plain", "Not found\n");
  const query = exchange.url.searchParams;
  const value = query.get("token") ?? query.get("nauth");
  const signature = query.get("sig") ?? query.get("nauthsig");
  if (!isGoodToken(world, vodId, value, signature))
    return usherError(exchange, 403, "nauth_token_invalid", "Token is invalid or has expired");
  const vod = world.vods.seenBy("usher", vodId);
  if (vod === null) return usherError(exchange, 404, "vod_not_found", "Not found");
  if (vod.restriction === "sub-only")
    return usherError(exchange, 403, "vod_manifest_restricted", "Manifest is restricted");
  if (vod.restriction === "geo")
    return usherError(exchange, 403, "content_geoblocked", "Content Restricted In Region");
  const folder = `${world.addresses().media}/media/${mediaFolder(vod)}`;
  const playlist = renderMaster(
    vod,
    (rendition) => `${folder}/${rendition.groupId}/${playlistName(vod)}`,
    {
      generation: match?.[1] === undefined ? 1 : 2,
      codecs: new Set((query.get("supported_codecs") ?? "h264").split(",")),
      withSource: query.get("allow_source") !== "false",
      withAudioOnly: query.get("allow_audio_only") === "true",
      withUnavailable: query.get("include_unavailable") === "true",
    },
  );
  return textAnswer(200, "application/vnd.apple.mpegurl", playlist, {
    "cache-control": "no-store",
    "access-control-allow-origin": "*",
  });
}

/** Errors are JSON, playlists are not. */
function usherError(exchange: Exchange, status: number, code: string, message: string): Answer {
  const url = exchange.url.pathname;
  return jsonAnswer(status, [{ url, error: message, error_code: code, type: "error" }]);
}
