import { formatBytes } from "#contract/format-bytes.ts";
import { MAX_MANUAL_UPLOAD_BYTES } from "#contract/manual-uploads.ts";
import { SourceError } from "#service/source/source-error.ts";
import { isGzip } from "#service/source/upstream-request.ts";
import type { FileContainer, FileVersion, SourceContent } from "#service/source/source.ts";

/** Enough to tell a playlist from a container, and WebM from Matroska. */
export const FIRST_BYTES = 4_096;

/** The parts of an archive and of a manual upload have the same limits. */
const MAX_FILE_BYTES = MAX_MANUAL_UPLOAD_BYTES;

/** A range is one request, and is held in memory as a whole. */
const RANGE_BYTES = 8 * 1024 * 1024;

/** Reads the first bytes of a body and cancels the rest. */
export async function readFirstBytes(
  response: Response,
  count = FIRST_BYTES,
): Promise<Uint8Array<ArrayBuffer>> {
  const head = new Uint8Array(count);
  let filled = 0;
  for await (const chunk of response.body ?? []) {
    const part = chunk.subarray(0, count - filled);
    head.set(part, filled);
    filled += part.byteLength;
    // Leaving the loop cancels the body.
    if (filled === count) break;
  }
  return head.subarray(0, filled);
}

/** The text of a playlist that is stored as gzip begins in its first bytes. */
export async function unpackBeginning(head: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  if (!isGzip(head)) return head;
  const unpacked = new Response(
    new Blob([head]).stream().pipeThrough(new DecompressionStream("gzip")),
  );
  // The stream fails where the bytes end.
  return await readFirstBytes(unpacked, 16).catch(() => head);
}

/**
 * The version of a file, from the answer to a request for a range (RFC 9110 section 14.4).
 * @throws {SourceError} for a host that an archive cannot resume from
 */
export function versionOf({ status, headers }: Response): FileVersion {
  const total = /^bytes \d+-\d+\/(\d{1,15})$/.exec(headers.get("content-range") ?? "")?.[1];
  if (status !== 206 || total === undefined)
    throw new SourceError(
      "source_corrupt",
      "The host does not support range requests for this file. An archive needs them.",
    );
  const version = {
    sizeBytes: Number(total),
    etag: headers.get("etag"),
    lastModified: headers.get("last-modified"),
  };
  if (version.sizeBytes > MAX_FILE_BYTES)
    throw new SourceError(
      "source_corrupt",
      `The host reports ${formatBytes(version.sizeBytes)}. A file may have at most ${formatBytes(MAX_FILE_BYTES)}.`,
    );
  if (version.etag === null && version.lastModified === null)
    throw new SourceError(
      "source_corrupt",
      "The host sends neither ETag nor Last-Modified, so a change of the file could not be detected.",
    );
  return version;
}

/** Determines the container from magic bytes; null if the bytes are no known video file. */
export function containerOfFile(head: Uint8Array): FileContainer | null {
  const text = new TextDecoder("latin1").decode(head);
  // ISO/IEC 14496-12 section 4.3; QuickTime files may lack the file type box.
  if (text.startsWith("ftyp", 4)) return text.startsWith("qt  ", 8) ? "mov" : "mp4";
  if (text.startsWith("moov", 4)) return "mov";
  // RFC 8794 section 11.2.1; the DocType follows within the EBML header.
  if (!text.startsWith("\u001A\u0045\u00DF\u00A3")) return null;
  return text.slice(0, 64).includes("webm") ? "webm" : "mkv";
}

/** The file as ranges of its bytes, in order. */
export function contentOfFile(
  url: string,
  container: FileContainer,
  version: FileVersion,
): SourceContent {
  const count = Math.ceil(version.sizeBytes / RANGE_BYTES);
  return {
    targetDurationSec: 0,
    isEnded: true,
    inits: [],
    segments: Array.from({ length: count }, (_, index) => {
      const offset = index * RANGE_BYTES;
      return {
        index,
        url,
        durationSec: 0,
        byteRange: { offset, length: Math.min(RANGE_BYTES, version.sizeBytes - offset) },
        initIndex: null,
        startsDiscontinuity: false,
        isGap: false,
        isMuted: false,
      };
    }),
    file: { container, version },
  };
}
