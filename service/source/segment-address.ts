import type { ByteRange } from "#service/ports/object-store.ts";
import { playlistFault, quoteBriefly } from "./playlist-text.ts";
import { LeadsAway } from "./source-error.ts";

export type SegmentAddress = {
  readonly url: string;
  /** From Twitch's old `?start_offset&end_offset`; null when the address has none. */
  readonly byteRange: ByteRange | null;
  readonly isMuted: boolean;
};

/**
 * Resolves a segment's URI. It must have the playlist's origin, where Twitch always keeps segments,
 * so that a playlist cannot refer to other hosts.
 *
 * `-unmuted` names become `-muted` ones, because the former always answer 403
 * (docs/twitch.md#muted-segments).
 * @throws {LeadsAway} for another origin
 * @throws {SourceError} for an invalid address
 */
export function resolveSegmentAddress(
  uri: string,
  playlistUrl: URL,
  lineIndex: number,
): SegmentAddress {
  const url = URL.parse(uri, playlistUrl.href);
  if (url === null) throw playlistFault(lineIndex, `has no readable address: ${quoteBriefly(uri)}`);
  if (url.origin !== playlistUrl.origin || url.username !== "" || url.password !== "")
    throw new LeadsAway(
      playlistFault(lineIndex, "leads away from the playlist's own host").message,
      url,
    );
  url.hash = "";
  const isMuted = uri.includes("muted") && toMutedName(url);
  const byteRange = uri.includes("start_offset=") ? takeOffsets(url, lineIndex) : null;
  return { url: url.href, byteRange, isMuted };
}

function toMutedName(url: URL): boolean {
  url.pathname = url.pathname.replace(/-unmuted(?=\.[A-Za-z0-9]+$)/, "-muted");
  return /-muted\.[A-Za-z0-9]+$/.test(url.pathname);
}

/**
 * VODs of 2015 and 2016 specify a range of a larger file in the query, with both ends inclusive
 * (`start_offset=0&end_offset=1937903` are 10,308 whole TS packets). The same bytes are requested
 * with a Range header instead, so that the server need not support the query.
 */
function takeOffsets(url: URL, lineIndex: number): ByteRange | null {
  const start = url.searchParams.get("start_offset");
  const end = url.searchParams.get("end_offset");
  if (start === null || end === null) return null;
  if (!/^\d{1,15}$/.test(start) || !/^\d{1,15}$/.test(end) || Number(end) < Number(start))
    throw playlistFault(lineIndex, "has offsets that are no range of bytes");
  url.searchParams.delete("start_offset");
  url.searchParams.delete("end_offset");
  return { offset: Number(start), length: Number(end) - Number(start) + 1 };
}
