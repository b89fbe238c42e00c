import { expect, vi } from "vitest";
import type { Upload } from "#contract/upload.ts";
import { getUpload } from "#contract/uploads.ts";
import type { TestClient } from "#service/testing/test-client.ts";

/** Longer than any archive of a test, even on a busy machine. */
const COMPLETED_WITHIN_MS = 180_000;

export function untilCompleted(client: TestClient, uploadId: string): Promise<Upload> {
  return vi.waitFor(async () => {
    const upload = await client.expect(getUpload, `/admin/uploads/${uploadId}`);
    expect(upload).toMatchObject({ status: "completed", errorMessage: null });
    return upload;
  }, COMPLETED_WITHIN_MS);
}
