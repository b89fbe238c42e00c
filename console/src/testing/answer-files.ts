import { formatBytes } from "#contract/format-bytes.ts";
import {
  browseFiles,
  fileStats,
  getFile,
  getFileProof,
  matchingFiles,
  neighbouringFiles,
  type StoredFile,
} from "#contract/files.ts";
import type { scriptService } from "./scripted-service.ts";

const LIMIT = 25;

/** One page of the File Browser; `total` is that of all pages. */
export function buildFilePage(files: readonly StoredFile[], total = files.length, page = 1) {
  const totalPages = Math.ceil(total / LIMIT);
  return {
    files: [...files],
    pagination: {
      page,
      limit: LIMIT,
      total,
      totalPages,
      hasPrev: page > 1,
      hasNext: page < totalPages,
    },
    summary: { totalFiles: total, totalSizeFormatted: formatBytes(sizeOf(files)) },
    byUser: [],
    users: 0,
    byStatus: { complete: total, partial: 0, orphaned: 0 },
  };
}

/** Answers what is asked about these files. */
export function answerFiles(
  { answer }: ReturnType<typeof scriptService>,
  files: readonly StoredFile[] = [],
): void {
  const owned = files.filter(({ userId }) => userId !== null);
  const countOf = (property: keyof StoredFile, value: string) =>
    files.filter((file) => file[property] === value).length;
  answer(browseFiles, () => buildFilePage(files));
  answer(matchingFiles, () => ({
    files: files.map(({ key, size, status }) => ({ key, size, status })),
    titles: files.map(({ title }) => title),
    running: files.filter((file) => file.isUploadRunning).map(({ key }) => key),
    totalIsCapped: false,
  }));
  answer(fileStats, () => ({
    totalFiles: files.length,
    totalSize: sizeOf(files),
    usersWithFiles: new Set(owned.map(({ userId }) => userId)).size,
    largestOwners: [...Map.groupBy(owned, ({ userId }) => userId)].map(([userId, some]) => ({
      userId,
      username: some[0]?.username ?? null,
      files: some.length,
      size: sizeOf(some),
    })),
    months: ["2026-11"],
    byStatus: {
      complete: countOf("status", "complete"),
      partial: countOf("status", "partial"),
      orphaned: countOf("status", "orphaned"),
    },
    byType: {
      twitch: countOf("uploadType", "twitch"),
      manual: countOf("uploadType", "manual"),
      chunk: countOf("uploadType", "chunk"),
    },
  }));
  answer(neighbouringFiles, ({ url }) => ({
    newer: [],
    older: files.filter(({ uploadId, key }) => uploadId !== null && !url.includes(key)),
  }));
  answer(getFileProof, () => ({ partSizeBytes: 8_388_608, partSha256: ["a".repeat(64)] }));
  answer(
    getFile,
    ({ url }) => files.find(({ key }) => url.includes(key)) ?? new Response(null, { status: 404 }),
  );
}

function sizeOf(files: readonly StoredFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}
