import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import { MAX_PLAYLIST_BYTES } from "#service/source/playlist-text.ts";
import { readText } from "#service/source/upstream-request.ts";

export type RecordedAnswer = {
  readonly url: string;
  readonly date: string | null;
  readonly text: string;
};

/** A fetch that remembers texts: answers of APIs, and playlists. Media passes through. */
export function createRecordedFetch(fetch: OutgoingFetch) {
  const recorded: RecordedAnswer[] = [];
  async function send(url: string, init?: RequestInit): Promise<Response> {
    const response = await fetch(url, init);
    const type = response.headers.get("content-type") ?? "";
    const isText = /json|mpegurl|text/i.test(type) || new URL(url).pathname.endsWith(".m3u8");
    if (!isText || response.body === null) return response;
    const text = await readText(response, "Twitch", MAX_PLAYLIST_BYTES);
    recorded.push({ url, date: response.headers.get("date"), text });
    const { status, headers } = response;
    return new Response(text, { status, headers });
  }
  return { recorded, fetch: send };
}
