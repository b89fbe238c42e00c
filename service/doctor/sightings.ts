import * as z from "zod/mini";
import { parseJson } from "#service/parse-json.ts";
import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import { maskSecrets } from "#service/secrets/mask-secrets.ts";
import { parseAttributeList } from "#service/source/attribute-list.ts";
import { MAX_PLAYLIST_BYTES, nonBlankLines } from "#service/source/playlist-text.ts";
import { readText } from "#service/source/upstream-request.ts";
import { readTwitchWords } from "#service/twitch/twitch-words.ts";

export type Sightings = ReturnType<typeof watchAnswers>;

const videosSchema = z.object({ data: z.array(z.record(z.string(), z.unknown())) });

/**
 * A fetch that notes what Twitch answers, to compare it with other runs. Notes are kept, so they are
 * short and without secrets. Media passes through.
 */
export function watchAnswers(fetch: OutgoingFetch) {
  const answers: Record<string, string> = {};
  const seen = new Set<string>();
  let dateText: string | null = null;

  function answered(question: string, answer: string): void {
    answers[question] = oneLine(answer);
  }

  function saw(thing: string): void {
    seen.add(oneLine(thing));
  }

  function notePlaylist(text: string): void {
    for (const [, line] of nonBlankLines(text)) {
      const [, tag, rest = ""] = /^#([A-Z0-9-]+)(?::(.*))?$/.exec(line) ?? [];
      if (tag === undefined) continue;
      saw(`tag ${tag}`);
      if (/^EXT-X-(?:STREAM-INF|MEDIA|MAP|SESSION-DATA)$/.test(tag))
        for (const name of parseAttributeList(rest).keys()) saw(`attribute ${name} of ${tag}`);
    }
  }

  function note({ pathname }: URL, isOk: boolean, text: string): void {
    const [, generation] = /\/vod\/(v2\/)?\d+\.m3u8$/.exec(pathname) ?? [null];
    if (generation !== null) {
      const { code, text: words } = readTwitchWords(text);
      const answer = isOk ? "a list of renditions" : `${code} ${words}`;
      answered(`the playlist server's ${generation === undefined ? "v1" : "v2"}`, answer);
    }
    if (pathname.endsWith(".m3u8")) notePlaylist(text);
    if (pathname.endsWith("/videos"))
      for (const video of parseJson(videosSchema, text)?.data ?? [])
        for (const [name, value] of Object.entries(video))
          saw(`field ${name} of a Helix video, ${value === null ? "null" : typeof value}`);
  }

  async function send(url: string, init?: RequestInit): Promise<Response> {
    const response = await fetch(url, init);
    dateText ??= response.headers.get("date");
    const address = new URL(url);
    const type = response.headers.get("content-type") ?? "";
    const isText = /json|mpegurl|text/i.test(type) || address.pathname.endsWith(".m3u8");
    if (!isText || response.body === null) return response;
    const text = await readText(response, "Twitch", MAX_PLAYLIST_BYTES);
    note(address, response.ok, text);
    const { status, headers } = response;
    return new Response(text, { status, headers });
  }

  return {
    /** By question. */
    answers,
    /** Things that Twitch sent, e.g. a tag of a playlist; each VOD has only some of them. */
    seen,
    /** The time that Twitch stated first. */
    dateText: () => dateText,
    answered,
    saw,
    fetch: send,
  };
}

export function oneLine(text: string): string {
  return maskSecrets(text)
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
}
