import { MANUAL_UPLOADS_PATH } from "#contract/manual-uploads.ts";
import type { TestClient, TestRequest } from "./test-client.ts";

/** The headers of every request, and of one that sends bytes. */
export const TUS = { "tus-resumable": "1.0.0" };
export const TUS_BYTES = { ...TUS, "content-type": "application/offset+octet-stream" };

export function createTusUpload(
  client: TestClient,
  headers: Readonly<Record<string, string>>,
  request: Pick<TestRequest, "rawBody"> = {},
): Promise<Response> {
  return client.send("POST", MANUAL_UPLOADS_PATH, { ...request, headers: { ...TUS, ...headers } });
}

export function sendTusBytes(
  client: TestClient,
  path: string,
  offset: number,
  rawBody: NonNullable<TestRequest["rawBody"]>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return client.send("PATCH", path, {
    rawBody,
    headers: { ...TUS_BYTES, "upload-offset": String(offset), ...headers },
  });
}
