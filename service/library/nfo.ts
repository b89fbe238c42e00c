import { replaceHidden } from "#service/hidden-characters.ts";
import { vodOf } from "#service/storage/item-id.ts";
import {
  type Distinction,
  episodeOf,
  type LibraryChannel,
  type LibraryVideo,
} from "./library-path.ts";

// The files beside videos from which Kodi, Jellyfin, Plex and Emby read titles and dates
// (kodi.wiki/view/NFO_files).

const HEADER = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

export function showNfo({ id, login, displayName }: LibraryChannel): string {
  return document("tvshow", [
    element("title", displayName),
    element("plot", `Broadcasts of https://www.twitch.tv/${login}`),
    element("studio", "Twitch"),
    uniqueId(id),
    element("lockdata", "true"),
  ]);
}

export function episodeNfo(video: LibraryVideo, by: Distinction): string {
  const { season, tag } = episodeOf(video.recordedAt, by);
  const date = new Date(video.recordedAt).toISOString();
  const categories = [...new Set(video.chapters.map(({ title }) => title))];
  return document("episodedetails", [
    element("title", titleOf(video)),
    element("showtitle", video.channel.displayName),
    element("season", season),
    element("episode", Number(tag)),
    element("aired", date.slice(0, 10)),
    element(
      "plot",
      [
        `https://www.twitch.tv/videos/${vodOf(video.itemId)}`,
        ...video.chapters.map(chapterLine),
      ].join("\n"),
    ),
    ...(video.durationSec === null
      ? []
      : [element("runtime", Math.max(1, Math.round(video.durationSec / 60)))]),
    element("studio", "Twitch"),
    ...categories.map((category) => element("genre", category)),
    ...(video.isMuted ? [element("tag", "muted")] : []),
    uniqueId(`v${video.itemId}`),
    element("dateadded", date.slice(0, 19).replace("T", " ")),
    element("lockdata", "true"),
  ]);
}

/** A title of nothing but invisible characters would leave a list without a name. */
function titleOf({ title, itemId }: LibraryVideo): string {
  return replaceHidden(title.replaceAll(/\s+/g, " "), "").trim() || `v${itemId}`;
}

function chapterLine({ startSec, title }: LibraryVideo["chapters"][number]): string {
  const seconds = Math.floor(startSec);
  const [minutes, rest] = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) =>
    String(part).padStart(2, "0"),
  );
  return `${Math.floor(seconds / 3_600)}:${minutes}:${rest} ${title}`;
}

function document(root: string, elements: readonly string[]): string {
  return `${HEADER}<${root}>\n${elements.join("")}</${root}>\n`;
}

function element(name: string, value: string | number): string {
  return `  <${name}>${escape(String(value))}</${name}>\n`;
}

function uniqueId(id: string): string {
  return `  <uniqueid type="twitch" default="true">${escape(id)}</uniqueid>\n`;
}

/** XML 1.0 has no form for control characters, nor for these two. */
function escape(text: string): string {
  return text
    .split("\n")
    .map((line) => replaceHidden(line, ""))
    .join("\n")
    .replaceAll(/[\uFFFE\uFFFF]/g, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
