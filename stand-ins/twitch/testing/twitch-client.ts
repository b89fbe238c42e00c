import type { TwitchStandIn } from "../server.ts";

/**
 * A client for tests of the stand-in. Responses are parsed loosely, since each test checks its own
 * part.
 */
export const clientId = "testclientid";
export const clientSecret = "testclientsecret";
export const redirectUri = "http://localhost:8787/auth/callback";
/** The web player's public id (docs/twitch.md#web-api). */
const webClientId = "kimne78kx3ncx6brgo4mv6wki5h1ko";

export type Json = Record<string, unknown>;

export async function readJsonObject(response: Response): Promise<Json> {
  const value: unknown = await response.json();
  if (typeof value !== "object" || value === null) {
    throw new Error(`not a JSON object: ${String(value)}`);
  }
  return { ...value };
}

export function authorizeFields(fields: Record<string, string> = {}): URLSearchParams {
  return new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: "code",
    scope: "user:read:email",
    state: "state-1",
    ...fields,
  });
}

/** Presses a button of the sign-in page and returns the redirect target. */
export async function pressButton(
  standIn: TwitchStandIn,
  fields: Record<string, string>,
): Promise<URL> {
  const response = await fetch(`${standIn.idUrl}/oauth2/authorize`, {
    method: "POST",
    body: authorizeFields(fields),
    redirect: "manual",
  });
  const location = response.headers.get("location");
  if (response.status !== 302 || location === null) {
    throw new Error(`no redirect but ${response.status}: ${await response.text()}`);
  }
  return new URL(location);
}

export async function postToken(
  standIn: TwitchStandIn,
  fields: Record<string, string>,
): Promise<{ readonly status: number; readonly body: Json }> {
  const response = await fetch(`${standIn.idUrl}/oauth2/token`, {
    method: "POST",
    body: new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...fields }),
  });
  return { status: response.status, body: await readJsonObject(response) };
}

export async function signIn(
  standIn: TwitchStandIn,
  account: string,
  scope = "user:read:email",
): Promise<{ readonly accessToken: string; readonly refreshToken: string; readonly body: Json }> {
  const back = await pressButton(standIn, { account, scope, nonce: "nonce-1" });
  const { body } = await postToken(standIn, {
    grant_type: "authorization_code",
    code: back.searchParams.get("code") ?? "",
    redirect_uri: redirectUri,
  });
  return {
    accessToken: String(body["access_token"]),
    refreshToken: String(body["refresh_token"]),
    body,
  };
}

export async function getHelix(
  standIn: TwitchStandIn,
  path: string,
  accessToken: string,
): Promise<Response> {
  return fetch(standIn.apiUrl + path, {
    headers: { authorization: `Bearer ${accessToken}`, "client-id": clientId },
  });
}

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

export async function getMaster(
  standIn: TwitchStandIn,
  vodId: string,
  { v2 = true, query = {} }: { v2?: boolean; query?: Record<string, string> } = {},
): Promise<Response> {
  const token = await playbackToken(standIn, vodId);
  const url = new URL(`${standIn.usherUrl}/vod/${v2 ? "v2/" : ""}${vodId}.m3u8`);
  url.search = new URLSearchParams({
    sig: token?.signature ?? "",
    token: token?.value ?? "",
    allow_source: "true",
    allow_audio_only: "true",
    supported_codecs: "av1,h265,h264",
    include_unavailable: "true",
    ...query,
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

export type Download = {
  readonly names: readonly string[];
  readonly bytes: Buffer;
  readonly refused: readonly string[];
};

/** Downloads everything that the source playlist lists, in order. */
export async function downloadSource(standIn: TwitchStandIn, vodId: string): Promise<Download> {
  const url = await sourceUrl(standIn, vodId);
  const names = namesIn(await (await fetch(url)).text());
  const parts: Buffer[] = [];
  const refused: string[] = [];
  for (const name of names) {
    const response = await fetch(new URL(name, url));
    const bytes = Buffer.from(await response.arrayBuffer());
    if (response.ok) {
      parts.push(bytes);
    } else {
      refused.push(name);
    }
  }
  return { names, bytes: Buffer.concat(parts), refused };
}
