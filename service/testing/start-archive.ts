import type { Upload } from "#contract/upload.ts";
import { startUpload } from "#contract/uploads.ts";
import type { TestClient } from "./test-client.ts";

/** Starts an archive of a VOD of the Twitch stand-in. */
export function startArchive(client: TestClient, vodId: string): Promise<Upload> {
  return client.expect(startUpload, startUpload.path, {
    body: { source: { type: "twitch", vodId }, rightsConfirmed: true },
  });
}
