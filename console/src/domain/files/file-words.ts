import type { FileStatus, StoredFile, UploadType } from "#contract/files.ts";
import { formatDate, formatDuration } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";

export const FILE_TYPE_LABELS: Readonly<Record<UploadType, string>> = {
  twitch: "Twitch VODs",
  manual: "Manual Uploads",
  chunk: "Chunks",
  url: "Direct URLs",
};

/** Singular form, for a single file. */
export const FILE_TYPE_NAMES: Readonly<Record<UploadType, string>> = {
  twitch: "Twitch VOD",
  manual: "Manual Upload",
  chunk: "Chunk",
  url: "Direct URL",
};

export const FILE_STATUS_LABELS: Readonly<Record<FileStatus, string>> = {
  complete: "Complete",
  partial: "Partial",
  orphaned: "Orphaned",
};

const FILE_STATUS_MEANINGS: Readonly<Record<FileStatus, string>> = {
  complete: "A completed upload's file: every byte was verified when it was stored.",
  partial: "Incomplete: its upload is unfinished, or parts were missing at the source.",
  orphaned:
    "No upload belongs to this file. It can't be downloaded, and uses storage until it is deleted.",
};

/** The problem that the service has found with this file, or else what its status means. */
export function statusMeaningOf({
  status,
  metadata,
}: Pick<StoredFile, "status" | "metadata">): string {
  const { problem } = metadata;
  const isTold = status === "partial" && typeof problem === "string";
  return isTold ? visibleText(problem) : FILE_STATUS_MEANINGS[status];
}

/** The filename, or the key's last segment if there is none. */
export function fileNameOf({ filename, key }: Pick<StoredFile, "filename" | "key">): string {
  return visibleText(filename ?? key.slice(key.lastIndexOf("/") + 1));
}

const CODEC_NAMES = { avc1: "H.264", hvc1: "HEVC", hev1: "HEVC", av01: "AV1", mp4a: "AAC" };

/** The codecs of a video as its playlist states them (RFC 6381), and what they are called. */
export function codecsOf({ metadata: { codecs } }: Pick<StoredFile, "metadata">) {
  const ids = typeof codecs === "string" ? codecs.split(",").map((id) => id.trim()) : [];
  return ids.map((id) => {
    const known = Object.entries(CODEC_NAMES).find(([start]) => id.startsWith(start))?.[1];
    return { id, isKnown: known !== undefined, name: known ?? id };
  });
}

/** The video's title, or the filename of a file without one. */
export function fileTitleOf(file: Pick<StoredFile, "title" | "filename" | "key">): string {
  return file.title === null || file.title === "" ? fileNameOf(file) : visibleText(file.title);
}

/** When it was broadcast, and its length, as far as they are known. */
export function aboutFile({ recordedAt, durationSec }: StoredFile): readonly string[] {
  return [
    recordedAt !== null && formatDate(new Date(recordedAt)),
    durationSec !== null && formatDuration(durationSec),
  ].filter((fact) => fact !== false);
}

type Downloaded = Pick<StoredFile, "status" | "uploadType">;

/** Why a file can't be downloaded, as far as the list shows, or undefined. */
export function downloadRefusal(file: Downloaded & Pick<StoredFile, "metadata">) {
  // The service records this when the store lacks the file.
  return refusal(file, file.status === "partial" && file.metadata["foundSizeBytes"] === 0);
}

/** Why a file with loaded details can't be downloaded; for these, the store was checked. */
export function storedRefusal(file: Downloaded & Pick<StoredFile, "downloadUrl">) {
  return refusal(file, file.downloadUrl === undefined);
}

function refusal({ status, uploadType }: Downloaded, isMissing: boolean): string | undefined {
  if (status === "orphaned") return "Orphaned files can't be downloaded.";
  if (uploadType === "chunk") return "Chunks of unfinished uploads can't be downloaded.";
  return isMissing ? "The store no longer has this file." : undefined;
}
