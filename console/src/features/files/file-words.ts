import type { FileStatus, StoredFile, UploadType } from "#contract/files.ts";
import { visibleText } from "#console/lib/visible-text.ts";

export const FILE_TYPE_LABELS: Readonly<Record<UploadType, string>> = {
  twitch: "Twitch VODs",
  manual: "Manual Uploads",
  chunk: "Chunks",
};

/** The same of a single file. */
export const FILE_TYPE_NAMES: Readonly<Record<UploadType, string>> = {
  twitch: "Twitch VOD",
  manual: "Manual Upload",
  chunk: "Chunk",
};

export const FILE_STATUS_LABELS: Readonly<Record<FileStatus, string>> = {
  complete: "Complete",
  partial: "Partial",
  orphaned: "Orphaned",
};

const FILE_STATUS_MEANINGS: Readonly<Record<FileStatus, string>> = {
  complete: "A completed upload's file: every byte was proved when it was stored.",
  partial: "Something is missing: its upload is unfinished, or parts were gone at the source.",
  orphaned:
    "No upload belongs to this file any more. It can't be downloaded, and costs storage until it is deleted.",
};

/** What is wrong with this file, as far as the service has found out, or else what its status means. */
export function statusMeaningOf({
  status,
  metadata,
}: Pick<StoredFile, "status" | "metadata">): string {
  const { problem } = metadata;
  const isTold = status === "partial" && typeof problem === "string";
  return isTold ? visibleText(problem) : FILE_STATUS_MEANINGS[status];
}

/** The filename, or the key's last segment for a file that has none. */
export function fileNameOf({ filename, key }: Pick<StoredFile, "filename" | "key">): string {
  return visibleText(filename ?? key.slice(key.lastIndexOf("/") + 1));
}

/** Why a file can't be downloaded, or undefined when it can. */
export function downloadRefusal({ status }: Pick<StoredFile, "status">): string | undefined {
  return status === "orphaned" ? "Orphaned files can't be downloaded." : undefined;
}
