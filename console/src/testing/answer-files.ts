import { browseFiles, fileStats } from "#contract/files.ts";
import type { scriptService } from "./scripted-service.ts";

const NONE = { complete: 0, partial: 0, orphaned: 0 };

/** Answers what the File Browser asks for: there are no files. */
export function answerFiles({ answer }: ReturnType<typeof scriptService>): void {
  answer(browseFiles, () => ({
    files: [],
    pagination: { page: 1, limit: 25, total: 0, totalPages: 0, hasPrev: false, hasNext: false },
    summary: { totalFiles: 0, totalSizeFormatted: "0 Bytes" },
    byUser: [],
    byStatus: NONE,
  }));
  answer(fileStats, () => ({
    totalFiles: 0,
    totalSize: 0,
    usersWithFiles: 0,
    largestOwners: [],
    byStatus: NONE,
    byType: { twitch: 0, manual: 0, chunk: 0 },
  }));
}
