import { type TwitchVodId, twitchVodIdSchema } from "#contract/ids.ts";
import { ApiError } from "#service/api-error.ts";

const TWITCH_HOSTS = new Set(["twitch.tv", "www.twitch.tv", "m.twitch.tv", "go.twitch.tv"]);

/**
 * Reads a VOD's id from an id (`123`, `v123`) or an address: `twitch.tv/videos/123?t=1h` with or
 * without https, `www.`, `m.`, the old `twitch.tv/name/v/123` and `/name/video/123`,
 * `twitch.tv/name/schedule?vodID=123`, `player.twitch.tv/?video=v123`, and a video in the
 * creator's dashboard, `dashboard.twitch.tv/u/name/content/video-producer/edit/123`.
 * @throws {ApiError} `invalid_request` with a sentence that says what to enter instead
 */
export function parseVodReference(entered: string): TwitchVodId {
  const text = entered.trim();
  const id = /^v?(\d+)$/i.exec(text)?.[1] ?? readAddress(text);
  const parsed = twitchVodIdSchema.safeParse(id);
  if (!parsed.success)
    throw invalidAddress(
      `“${id.slice(0, 30)}” is not the number of a VOD. It looks like this: 2345678901.`,
    );
  return parsed.data;
}

function readAddress(text: string): string {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:"))
    throw invalidAddress("Enter a VOD's address, such as https://www.twitch.tv/videos/2345678901.");
  const parts = url.pathname.split("/").filter((part) => part !== "");
  if (url.hostname === "player.twitch.tv") return readPlayer(url);
  if (url.hostname === "dashboard.twitch.tv") return readDashboard(parts);
  if (url.hostname === "clips.twitch.tv" || parts.includes("clip"))
    throw invalidAddress("That is a clip. Only VODs can be archived.");
  if (!TWITCH_HOSTS.has(url.hostname))
    throw invalidAddress(
      "That is not a twitch.tv address. Enter one like twitch.tv/videos/2345678901.",
    );
  const [first = "", second = "", third = ""] = parts;
  if (first === "videos" && second !== "") return stripLetter(second);
  if (/^(?:v|video|videos)$/.test(second) && third !== "") return stripLetter(third);
  const scheduled = url.searchParams.get("vodID");
  if (second === "schedule" && scheduled !== null) return stripLetter(scheduled);
  if (parts.length === 1)
    throw invalidAddress("That is a channel. Open one of its videos and enter that address.");
  throw invalidAddress("That address is not a VOD's. Enter one like twitch.tv/videos/2345678901.");
}

function readPlayer(url: URL): string {
  const video = url.searchParams.get("video");
  if (video === null)
    throw invalidAddress(
      "That player address has no VOD. Enter one like twitch.tv/videos/2345678901.",
    );
  return stripLetter(video);
}

/** The video's page and its tools end alike: `…/video-producer/edit/123`, `…/highlighter/123`. */
function readDashboard(parts: readonly string[]): string {
  const last = parts.at(-1) ?? "";
  if (!parts.includes("video-producer") || !/^v?\d+$/i.test(last))
    throw invalidAddress(
      "That page of the dashboard is not a VOD's. Enter an address like twitch.tv/videos/2345678901.",
    );
  return stripLetter(last);
}

function stripLetter(text: string): string {
  return text.replace(/^v/i, "");
}

function invalidAddress(sentence: string): ApiError {
  return new ApiError("invalid_request", sentence, { details: { "source.url": sentence } });
}
