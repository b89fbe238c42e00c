import type { TwitchStandIn } from "../server.ts";

/**
 * A client for tests of the stand-in. Responses are parsed loosely, since each test checks its own
 * part.
 */
export const clientId = "testclientid";
export const clientSecret = "testclientsecret";
/** The web player's public id (docs/twitch.md#web-api). */
const webClientId = "kimne78kx3ncx6brgo4mv6wki5h1ko";

export async function postGql(
  standIn: TwitchStandIn,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(standIn.gqlUrl, {
    method: "POST",
    headers: { "client-id": webClientId, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

export type PlaybackToken = { readonly value: string; readonly signature: string };

export async function playbackToken(
  standIn: TwitchStandIn,
  vodId: string,
): Promise<PlaybackToken | null> {
  const query = `{videoPlaybackAccessToken(id:"${vodId}",params:{platform:"web",playerBackend:"mediaplayer",playerType:"site"}){value signature}}`;
  const response = await postGql(standIn, { query });
  const reply: { data: { videoPlaybackAccessToken: PlaybackToken | null } } = JSON.parse(
    await response.text(),
  );
  return reply.data.videoPlaybackAccessToken;
}

export async function getMaster(standIn: TwitchStandIn, vodId: string): Promise<Response> {
  const token = await playbackToken(standIn, vodId);
  const url = new URL(`${standIn.usherUrl}/vod/v2/${vodId}.m3u8`);
  url.search = new URLSearchParams({
    sig: token?.signature ?? "",
    token: token?.value ?? "",
    allow_source: "true",
    allow_audio_only: "true",
    supported_codecs: "av1,h265,h264",
    include_unavailable: "true",
  }).toString();
  return fetch(url);
}

/** The URL of the source's media playlist. */
export async function sourceUrl(standIn: TwitchStandIn, vodId: string): Promise<string> {
  const master = await (await getMaster(standIn, vodId)).text();
  const url = master.split("\n").find((line) => line.includes("/chunked/"));
  if (url === undefined) {
    throw new Error(`no source in: ${master}`);
  }
  return url;
}

/** The names in a media playlist, including init segments, in playlist order. */
export function namesIn(playlist: string): string[] {
  return playlist
    .split("\n")
    .map((line) => /^#EXT-X-MAP:URI="([^"]+)"/.exec(line)?.[1] ?? line)
    .filter((name) => name !== "" && !name.startsWith("#"));
}
