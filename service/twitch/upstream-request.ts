import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import { SourceError } from "./source-error.ts";

/** What one call to an upstream may cost us. */
export type RequestLimits = { readonly timeoutMs: number; readonly maxBytes: number };

/** Twitch's API answers within a second; eight is what a person at the console will wait. */
export const API_LIMITS: RequestLimits = { timeoutMs: 8_000, maxBytes: 2 * 1024 * 1024 };

export type TextAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
};

/**
 * One request whose whole answer is text, within limits. Any status resolves.
 * @param upstream what people call the other side, for the error's sentence
 * @throws {SourceError} `try_later` for a broken connection, silence or an oversized answer; the
 *   reason of `signal` when that aborted
 */
export async function requestText(
  fetch: OutgoingFetch,
  upstream: string,
  url: string,
  init: RequestInit,
  limits: RequestLimits,
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
        `${upstream} did not answer within ${limits.timeoutMs / 1_000} s.`,
        { cause: error },
      );
    throw connectionLost(upstream, error);
  }
}

/**
 * Reads a body as UTF-8, up to a size. Some objects of a CDN are stored packed and come so whatever
 * was asked for; hosts differ in whether they unpack, so the bytes tell (RFC 1952 section 2.3.1),
 * not the header.
 * @throws {SourceError} when it is larger, packed or unpacked
 */
export async function readText(
  response: Response,
  upstream: string,
  maxBytes: number,
): Promise<string> {
  if (response.body === null) return "";
  const received = await readBytes(response.body, upstream, maxBytes);
  const isGzip = received[0] === 0x1f && received[1] === 0x8b;
  if (!isGzip) return new TextDecoder().decode(received);
  const unpacked = new Blob([received]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new TextDecoder().decode(await readBytes(unpacked, upstream, maxBytes));
}

async function readBytes(
  body: ReadableStream<Uint8Array>,
  upstream: string,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    sizeBytes += chunk.byteLength;
    // Leaving the loop cancels the body, so that no more of it is received.
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
