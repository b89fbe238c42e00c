import type { ReceivedResponse } from "#service/ports/receive.ts";
import type { Platform } from "#service/platform.ts";
import type { Settings } from "#service/settings.ts";
import { parseMasterPlaylist } from "#service/source/master-playlist.ts";
import { createMediaFetch, type MediaHosts } from "#service/source/media-fetch.ts";
import { readPlaylist, readPlaylistText } from "#service/source/read-playlist.ts";
import { readRetryAfterMs } from "#service/source/retry-after.ts";
import { chooseRendition } from "#service/source/rendition-choice.ts";
import type {
  FileContainer,
  FileVersion,
  Playback,
  Rendition,
  Source,
  SourceContent,
  Variant,
} from "#service/source/source.ts";
import { SourceError } from "#service/source/source-error.ts";
import { connectionLost } from "#service/source/upstream-request.ts";
import { identifyAddress, itemIdOf, nameInAddress } from "./direct-address.ts";
import {
  containerOfFile,
  contentOfFile,
  FIRST_BYTES,
  readFirstBytes,
  versionOf,
  unpackBeginning,
} from "./media-file.ts";

/** Bit rate of a usual 1080p60 stream, for playlists that do not state theirs. */
const USUAL_BITS_PER_SEC = 6_000_000;

/** What an address leads to. */
type Target = { readonly modifiedAt: Date | null } & (
  | { readonly kind: "playlist" }
  | { readonly kind: "file"; readonly container: FileContainer; readonly version: FileVersion }
);

/**
 * Videos by their address on the hosts of `SOURCE_HOSTS`: an HLS playlist that has ended, or a
 * video file on a host with range requests. References are the addresses themselves.
 */
export function createDirectSource({
  platform,
  settings,
}: {
  readonly platform: Pick<Platform, "fetch" | "receive" | "clock" | "digests">;
  readonly settings: Pick<Settings, "SOURCE_HOSTS">;
}): Source {
  const { clock, digests } = platform;
  const hosts: MediaHosts = {
    names: settings.SOURCE_HOSTS,
    setting: "SOURCE_HOSTS",
    unlisted: "source_corrupt",
  };
  const fetchMedia = createMediaFetch(platform.fetch, hosts);
  const receiveMedia = createMediaFetch<ReceivedResponse>(
    platform.receive ?? platform.fetch,
    hosts,
  );

  async function probe(url: string, signal?: AbortSignal): Promise<Target> {
    const { response } = await fetchMedia(url, {
      signal,
      headers: { range: `bytes=0-${FIRST_BYTES - 1}` },
    });
    if (response.status !== 200 && response.status !== 206) {
      await response.body?.cancel();
      throw refusalOf(response, clock.now());
    }
    const head = await readFirstBytes(response).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw connectionLost("the source", error);
    });
    const modifiedMs = Date.parse(response.headers.get("last-modified") ?? "");
    const modifiedAt = Number.isNaN(modifiedMs) ? null : new Date(modifiedMs);
    if (/^\uFEFF?#EXTM3U/.test(new TextDecoder().decode(await unpackBeginning(head))))
      return { kind: "playlist", modifiedAt };
    const container = containerOfFile(head);
    if (container === null)
      throw new SourceError(
        "source_corrupt",
        "That address is neither an HLS playlist nor an MP4, MOV, WebM or Matroska file.",
      );
    return { kind: "file", container, version: versionOf(response), modifiedAt };
  }

  async function openPlaylist(url: string, signal?: AbortSignal): Promise<Playback> {
    const found = await readPlaylistText(fetchMedia, [url], clock.now(), signal);
    if (!found.text.includes("#EXT-X-STREAM-INF")) {
      return { renditions: [renditionAt(url, USUAL_BITS_PER_SEC)], withheld: [] };
    }
    const master = parseMasterPlaylist(found.text, found.url);
    // Names repeat among hosts that keep all renditions in one folder.
    const renditions = master.renditions.map((variant) => ({
      ...variant,
      name: nameOfRendition(variant.playlistUrl),
      bandwidthBitsPerSec: variant.bandwidthBitsPerSec || USUAL_BITS_PER_SEC,
    }));
    return { renditions, withheld: [] };
  }

  async function list(rendition: Rendition, signal?: AbortSignal): Promise<SourceContent> {
    const { playlistUrl } = rendition;
    const target = await probe(playlistUrl, signal);
    if (target.kind === "file") return contentOfFile(playlistUrl, target.container, target.version);
    const playlist = await readPlaylist(fetchMedia, [playlistUrl], clock.now(), signal);
    if (!playlist.isEnded)
      throw new SourceError(
        "source_corrupt",
        "This playlist is still being written. Only finished recordings can be archived.",
      );
    return playlist;
  }

  async function open(reference: string, signal?: AbortSignal): Promise<Playback> {
    const target = await probe(reference, signal);
    if (target.kind === "playlist") return openPlaylist(reference, signal);
    const file = { ...renditionAt(reference, 0), sizeBytes: target.version.sizeBytes };
    return { renditions: [file], withheld: [] };
  }

  return {
    name: "The source",
    identify: (address) => identifyAddress(address, settings.SOURCE_HOSTS, digests),
    async describe(reference, signal) {
      const target = await probe(reference, signal);
      const content =
        target.kind === "file"
          ? null
          : await list(chooseRendition(await openPlaylist(reference, signal), "best"), signal);
      const name = nameInAddress(reference);
      const { hostname } = new URL(reference);
      return {
        id: await itemIdOf(reference, digests),
        owner: null,
        title: name,
        fileStem: `${hostname.replaceAll(/[[\]:]/g, "")}-${name.replace(/\.[A-Za-z0-9]{1,5}$/, "")}`,
        createdAt: target.modifiedAt ?? new Date(clock.now()),
        durationSec: content?.segments.reduce((sec, each) => sec + each.durationSec, 0) ?? null,
        thumbnailUrl: null,
        isRecording: false,
        broadcastId: null,
      };
    },
    open,
    list,
    fetch: async (url, init) => (await receiveMedia(url, init)).response,
  };
}

function renditionAt(url: string, bandwidthBitsPerSec: number): Variant {
  return {
    name: nameOfRendition(url),
    playlistUrl: url,
    bandwidthBitsPerSec,
    codecs: null,
    resolution: null,
    framesPerSec: null,
    isMarkedSource: true,
    isPortrait: false,
  };
}

/** Without the query, which may contain a token that changes. */
function nameOfRendition(url: string): string {
  return new URL(url).pathname;
}

function refusalOf({ status, headers }: Response, nowMs: number): SourceError {
  if (status === 404 || status === 410)
    return new SourceError("gone_at_source", `The source has no such file (${status}).`);
  if (status === 401 || status === 403)
    return new SourceError("needs_entitlement", `The source refuses access (${status}).`);
  if (status === 416) return new SourceError("source_corrupt", "The file at the source is empty.");
  return new SourceError("try_later", `The source answered with status ${status}.`, {
    retryAfterMs: readRetryAfterMs(headers, nowMs),
  });
}
