import type { IncomingMessage } from "node:http";

/** Far larger than any form, GQL batch, or custom VOD with one size per segment. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

export class BodyTooLarge extends Error {
  override readonly name = "BodyTooLarge";
}

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    sizeBytes += bytes.byteLength;
    if (sizeBytes > MAX_BODY_BYTES) {
      throw new BodyTooLarge(`a request body is limited to ${MAX_BODY_BYTES} bytes`);
    }
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/**
 * Twitch reads the same names from the body and the query string (docs/twitch.md#tokens); the body
 * takes precedence.
 */
export function readForm(url: URL, body: Buffer): URLSearchParams {
  const form = new URLSearchParams(url.searchParams);
  for (const [name, value] of new URLSearchParams(body.toString("utf8"))) {
    form.set(name, value);
  }
  return form;
}

/** Parses a JSON body; null when it is not JSON. */
export function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return null;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
