import { twitchUserIdSchema, type TwitchUserId } from "#contract/ids.ts";

/** A channel's name in lower case, its id, or why the text names none, as a sentence. */
export type ReadName =
  | { readonly login: string }
  | { readonly id: TwitchUserId }
  | { readonly error: string };

const TWITCH_HOSTS = /^(?:(?:www|m|go)\.)?twitch\.tv$/;
/** First parts of addresses that no channel has (docs/twitch.md). */
const RESERVED = new Set([
  "directory",
  "search",
  "settings",
  "downloads",
  "jobs",
  "store",
  "p",
  "team",
  "collections",
]);

/**
 * Reads `name`, `@name`, a numeric Twitch id, a channel's address with any path (`twitch.tv/name/videos`, also of the
 * mobile site, the player, popouts and the creator's dashboard). Upper and lower case are equal.
 */
export function readChannelName(entered: string): ReadName {
  const text = entered.trim();
  const id = twitchUserIdSchema.safeParse(text);
  if (id.success) return { id: id.data };
  if (!/[./:]/.test(text)) return asLogin(text.replace(/^@/, ""), text);
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol)) return notAName(text);
  const parts = url.pathname.split("/").filter((part) => part !== "");
  if (url.hostname === "player.twitch.tv") return asLogin(url.searchParams.get("channel"), text);
  if (url.hostname === "dashboard.twitch.tv") return asLogin(parts[1], text);
  if (!TWITCH_HOSTS.test(url.hostname))
    return { error: "That is not a twitch.tv address. Enter one like twitch.tv/name." };
  const [first = "", second = "", third = ""] =
    parts[0] === "popout" || parts[0] === "moderator" ? parts.slice(1) : parts;
  if (first === "videos" || (/^(?:v|video|videos)$/.test(second) && third !== ""))
    return { error: "That is a VOD, not a channel. Archive it under “New archive”." };
  if (RESERVED.has(first)) return { error: "That page of twitch.tv is not a channel's." };
  return asLogin(first, text);
}

function asLogin(name: string | null | undefined, entered: string): ReadName {
  // Twitch's names; there are old ones with fewer than four characters.
  return /^[a-z0-9_]{1,25}$/i.test(name ?? "")
    ? { login: (name ?? "").toLowerCase() }
    : notAName(entered);
}

function notAName(entered: string): ReadName {
  const shown = Array.from(entered.toWellFormed()).slice(0, 30).join("");
  return { error: `“${shown}” is not a channel's name or address.` };
}
