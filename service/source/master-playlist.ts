import * as z from "zod/mini";
import { SourceError } from "./source-error.ts";
import { parseAttributeList } from "./attribute-list.ts";
import type { Playback, Variant, Withheld } from "./source.ts";
import {
  MAX_MASTER_PLAYLIST_BYTES,
  playlistFault,
  readPlaylistLines,
  tagValue,
} from "./playlist-text.ts";

/** Twitch offers about ten. */
const MAX_VARIANTS = 200;

/** Limit for a rendition's CODECS and RESOLUTION. */
const MAX_ATTRIBUTE_LENGTH = 200;

/** Limited because each segment's address repeats its playlist's. */
const MAX_ADDRESS_LENGTH = 2_048;

/**
 * Parses usher's list of renditions in both versions: v1 names groups in EXT-X-MEDIA and `VIDEO`,
 * v2 in `STABLE-VARIANT-ID` and `IVS-…` attributes (docs/twitch.md#master-playlists). A rendition's
 * name is Twitch's group id, e.g. "chunked" or "1080p60": the folder in its address. Unlike the
 * attributes, it is the same in v1 and v2 and when parts are muted.
 * @throws {SourceError} also if sound has a playlist of its own, because one rendition is copied
 */
export function parseMasterPlaylist(text: string, masterUrl: string): Playback {
  const variants: Variant[] = [];
  const withheld: Withheld[] = [];
  let attributes: ReadonlyMap<string, string> | null = null;
  for (const [lineIndex, line] of readPlaylistLines(text, MAX_MASTER_PLAYLIST_BYTES)) {
    const variantText = tagValue(line, "#EXT-X-STREAM-INF");
    if (variantText !== null) {
      attributes = parseAttributeList(variantText);
    } else if (line.startsWith("#EXT-X-SESSION-DATA:")) {
      if (withheld.length < MAX_VARIANTS)
        withheld.push(...readWithheld(parseAttributeList(line.slice(20))));
    } else if (line.startsWith("#EXT-X-MEDIA:")) {
      requireOneStream(parseAttributeList(line.slice(13)));
    } else if (line.startsWith("#EXTINF")) {
      throw playlistFault(lineIndex, "belongs to one rendition, not to a list of renditions");
    } else if (!line.startsWith("#") && attributes !== null) {
      if (variants.length === MAX_VARIANTS)
        throw playlistFault(lineIndex, `is past ${MAX_VARIANTS} renditions`);
      variants.push(readVariant(attributes, line, masterUrl, lineIndex));
      attributes = null;
    }
  }
  if (variants.length === 0 && withheld.length === 0)
    throw new SourceError("source_corrupt", "The list of renditions is empty.");
  return { renditions: variants, withheld };
}

function requireOneStream(attributes: ReadonlyMap<string, string>): void {
  if (attributes.get("TYPE") === "AUDIO" && attributes.has("URI"))
    throw new SourceError(
      "source_corrupt",
      "This playlist keeps sound and picture in separate files, which cannot be archived as one.",
    );
}

function readVariant(
  attributes: ReadonlyMap<string, string>,
  uri: string,
  masterUrl: string,
  lineIndex: number,
): Variant {
  const url = URL.parse(uri, masterUrl);
  if (url === null || url.href.length > MAX_ADDRESS_LENGTH)
    throw playlistFault(lineIndex, "has no readable address");
  const name = readName(attributes, url);
  return {
    name,
    playlistUrl: url.href,
    bandwidthBitsPerSec: readNumber(attributes.get("BANDWIDTH")) ?? 0,
    codecs: readText(attributes, "CODECS", lineIndex),
    resolution: readText(attributes, "RESOLUTION", lineIndex),
    framesPerSec: readNumber(attributes.get("FRAME-RATE")),
    isMarkedSource: name === "chunked" || attributes.get("IVS-VARIANT-SOURCE") === "source",
    isPortrait:
      name.endsWith("-portrait") ||
      (attributes.get("IVS-GROUPS") ?? "").split(",").includes("portrait"),
  };
}

function readName(attributes: ReadonlyMap<string, string>, url: URL): string {
  const folder = url.pathname.split("/").at(-2) ?? "";
  if (/^[A-Za-z0-9_-]{1,60}$/.test(folder)) return folder;
  const stated = attributes.get("VIDEO") ?? attributes.get("STABLE-VARIANT-ID") ?? "";
  return stated === "" ? "unnamed" : stated.slice(0, 60);
}

function readText(
  attributes: ReadonlyMap<string, string>,
  name: string,
  lineIndex: number,
): string | null {
  const text = attributes.get(name) ?? null;
  if (text !== null && text.length > MAX_ATTRIBUTE_LENGTH)
    throw playlistFault(
      lineIndex,
      `names a rendition whose ${name} has more than ${MAX_ATTRIBUTE_LENGTH} characters`,
    );
  return text;
}

function readNumber(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}(?:\.\d{1,10})?$/.test(text) ? Number(text) : null;
}

const withheldSchema = z.array(
  z.object({
    NAME: z.optional(z.string()),
    "STABLE-VARIANT-ID": z.optional(z.string()),
    RESOLUTION: z.optional(z.nullable(z.string())),
    "FRAME-RATE": z.optional(z.nullable(z.number())),
    AUTHORIZATION_REASONS: z.optional(z.nullable(z.array(z.string()))),
  }),
);

/** Only reported, never fetched; unreadable entries are ignored. */
function readWithheld(attributes: ReadonlyMap<string, string>): readonly Withheld[] {
  if (attributes.get("DATA-ID") !== "com.amazon.ivs.unavailable-media") return [];
  const entries = withheldSchema.safeParse(decodeJson(attributes.get("VALUE") ?? ""));
  if (!entries.success) return [];
  return entries.data.slice(0, MAX_VARIANTS).map((entry) => {
    const reasons = entry.AUTHORIZATION_REASONS ?? [];
    return {
      label: (entry.NAME ?? entry["STABLE-VARIANT-ID"] ?? "a rendition").slice(0, 60),
      resolution: entry.RESOLUTION?.slice(0, MAX_ATTRIBUTE_LENGTH) ?? null,
      framesPerSec: entry["FRAME-RATE"] ?? null,
      reason: reasons.includes("AUTHZ_NOT_LOGGED_IN")
        ? "sign_in"
        : reasons.includes("AUTHZ_GEO")
          ? "region"
          : "unstated",
    };
  });
}

function decodeJson(base64: string): unknown {
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}
