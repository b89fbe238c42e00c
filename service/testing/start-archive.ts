import type { Upload } from "#contract/upload.ts";
import { getUpload, startUpload } from "#contract/uploads.ts";
import { expect, vi } from "vitest";
import type { TestClient } from "./test-client.ts";

/** Starts an archive of a VOD of the Twitch stand-in. */
export function startArchive(client: TestClient, vodId: string): Promise<Upload> {
  return client.expect(startUpload, startUpload.path, {
    body: { source: { type: "twitch", vodId }, rightsConfirmed: true },
  });
}

/** Longer than any archive of a test, even on a busy machine. */
const COMPLETED_WITHIN_MS = 90_000;

export function untilCompleted(client: TestClient, uploadId: string): Promise<Upload> {
  return vi.waitFor(async () => {
    const upload = await client.expect(getUpload, `/admin/uploads/${uploadId}`);
    expect(upload).toMatchObject({ status: "completed", errorMessage: null });
    return upload;
  }, COMPLETED_WITHIN_MS);
}
