import { buildPage } from "#contract/testing/build-page.ts";
import type { Upload } from "#contract/upload.ts";
import {
  getUpload,
  listFailedUploads,
  listUploads,
  matchingUploadIds,
  uploadWork,
} from "#contract/uploads.ts";
import type { scriptService } from "./scripted-service.ts";

/** Answers what is asked about these uploads. */
export function answerUploads(
  { answer }: ReturnType<typeof scriptService>,
  uploads: readonly Upload[] = [],
): void {
  const failed = uploads.filter(({ status }) => status === "failed");
  answer(listUploads, ({ url }) => {
    const { searchParams } = new URL(url);
    const wanted = searchParams.get("status");
    const found = uploads.filter(({ status }) => wanted === null || status === wanted);
    return buildPage(found.slice(0, Number(searchParams.get("limit"))));
  });
  answer(
    getUpload,
    ({ url }) =>
      uploads.find(({ id }) => url.endsWith(`/${id}`)) ?? new Response(null, { status: 404 }),
  );
  // After `getUpload`, whose pattern its path meets as well.
  answer(uploadWork, () => ({
    running: uploads.filter(({ status }) => status === "processing").length,
    live: 0,
    waiting: uploads.filter(({ status }) => status === "pending").length,
    failedToday: failed.length,
    bytesPerSecond: uploads.reduce((sum, { uploadSpeed }) => sum + (uploadSpeed ?? 0), 0),
    secondsLeft: 7_800,
    unknownLengths: 0,
    uploads: uploads.filter(({ status }) => status === "processing"),
  }));
  answer(matchingUploadIds, () => ({
    items: failed.map(({ id, fileStatus, ...upload }) => ({
      id,
      canRetry: countRetryable([upload]) === 1,
      hasFile: fileStatus !== null,
    })),
    total: failed.length,
    totalIsCapped: false,
  }));
  answer(listFailedUploads, () => ({
    ...buildPage(failed),
    summary: {
      totalFailed: failed.length,
      canRetry: countRetryable(failed),
      maxRetriesReached: failed.length - countRetryable(failed),
      retryCannotHelp: 0,
    },
    groups: [...Map.groupBy(failed, ({ failureClass }) => failureClass ?? "ours")].map(
      ([failureClass, some]) => ({
        failureClass,
        count: some.length,
        canRetry: countRetryable(some),
        isRecent: true,
      }),
    ),
  }));
}

function countRetryable(uploads: readonly Pick<Upload, "retryCount" | "maxRetries">[]): number {
  return uploads.filter(({ retryCount, maxRetries }) => retryCount < maxRetries).length;
}
