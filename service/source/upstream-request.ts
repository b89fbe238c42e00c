import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import { SourceError } from "./source-error.ts";

/** Limits of one call to an upstream. */
export type FetchLimits = { readonly timeoutMs: number; readonly maxBytes: number };

/** Twitch's API answers within a second; a person at the console waits about eight. */
export const API_LIMITS: FetchLimits = { timeoutMs: 8_000, maxBytes: 2 * 1024 * 1024 };

export type TextAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
};

/**
 * Sends a request and reads the response as text, within limits. Any status resolves.
 * @param upstream display name of the upstream, for error messages
 * @throws {SourceError} `try_later` for a broken connection, a timeout or an oversized answer
 * @throws the reason of `signal` when it aborts
 */
export async function requestText(
  fetch: OutgoingFetch,
  upstream: string,
  url: string,
  init: RequestInit,
  limits: FetchLimits,
  signal: AbortSignal | undefined,
): Promise<TextAnswer> {
  const deadline = AbortSignal.timeout(limits.timeoutMs);
  try {
    const response = await fetch(url, {
      ...init,
      redirect: "manual",
      signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
    });
    const text = await readText(response, upstream, limits.maxBytes);
    return { status: response.status, headers: response.headers, text };
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof SourceError) throw error;
    if (deadline.aborted)
      throw new SourceError(
        "try_later",
        `${upstream} did not respond within ${limits.timeoutMs / 1_000} s.`,
        { cause: error },
      );
    throw connectionLost(upstream, error);
  }
}

/**
 * Reads a body as UTF-8, up to a size. Some objects of a CDN are stored as gzip and sent so
 * regardless of Accept-Encoding. Hosts differ in whether they decompress them, so gzip is detected
 * by its magic bytes (RFC 1952 section 2.3.1), not by the header.
 * @throws {SourceError} when it is larger, compressed or decompressed
 */
export async function readText(
  response: Response,
  upstream: string,
  maxBytes: number,
): Promise<string> {
  if (response.body === null) return "";
  const received = await readBytes(response.body, upstream, maxBytes);
  if (!isGzip(received)) return new TextDecoder().decode(received);
  const unpacked = new Blob([received]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new TextDecoder().decode(await readBytes(unpacked, upstream, maxBytes));
}

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Reads a body of at most `maxBytes`. @throws {SourceError} when it is larger */
export async function readBytes(
  body: ReadableStream<Uint8Array>,
  upstream: string,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    sizeBytes += chunk.byteLength;
    // Leaving the loop cancels the body.
    if (sizeBytes > maxBytes)
      throw new SourceError("try_later", `${upstream} answered with more than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(sizeBytes);
  let atByte = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, atByte);
    atByte += chunk.byteLength;
  }
  return bytes;
}

export function connectionLost(upstream: string, cause: unknown): SourceError {
  return new SourceError("try_later", `The connection to ${upstream} failed.`, { cause });
}
