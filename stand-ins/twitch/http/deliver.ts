import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Damaged, Delivery } from "../faults/damage.ts";
import type { Answer } from "./answer.ts";
import { readAll } from "./byte-source.ts";
import type { Pacer } from "./pacer.ts";

/** Responses up to this size are sent in one write. */
const SINGLE_WRITE_BYTES = 1024 * 1024;
/** Paced bodies are sent in chunks small enough for a steady stream. */
const PACED_WRITE_BYTES = 16 * 1024;

/**
 * Sends a response as its delivery specifies. Does not throw when the client disconnects; returns
 * the number of body bytes passed to the socket.
 */
export async function deliver(
  request: IncomingMessage,
  response: ServerResponse,
  damaged: Damaged,
  pacer: Pacer,
): Promise<number> {
  const { answer, delivery } = damaged;
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  response.once("error", () => gone.abort());
  try {
    if (delivery.delayMs > 0) await sleep(delivery.delayMs, undefined, { signal: gone.signal });
    if (delivery.resetAtOnce) {
      request.socket.resetAndDestroy();
      return 0;
    }
    const hasBody = request.method !== "HEAD" && mayHaveBody(answer.status);
    response.writeHead(answer.status, {
      ...answer.headers,
      ...(delivery.contentLength !== null &&
        mayHaveBody(answer.status) && { "content-length": String(delivery.contentLength) }),
      // The client no longer knows where the response ends.
      ...(hasBody && delivery.contentLength !== answer.body.sizeBytes && { connection: "close" }),
    });
    if (!hasBody) {
      response.end();
      return 0;
    }
    if (isPlain(answer, delivery)) {
      response.end(readAll(answer.body));
      return answer.body.sizeBytes;
    }
    return await stream(request, response, damaged, pacer, gone.signal);
  } catch (error) {
    if (gone.signal.aborted) return 0;
    throw error;
  }
}

function mayHaveBody(status: number): boolean {
  return status >= 200 && status !== 204 && status !== 304;
}

function isPlain(answer: Answer, delivery: Delivery): boolean {
  return (
    answer.body.sizeBytes <= SINGLE_WRITE_BYTES &&
    answer.pace === undefined &&
    delivery.bytesPerSecond === null &&
    delivery.ending === "end"
  );
}

async function stream(
  request: IncomingMessage,
  response: ServerResponse,
  { answer, delivery }: Damaged,
  pacer: Pacer,
  gone: AbortSignal,
): Promise<number> {
  const speed = speedOf(answer, delivery);
  response.flushHeaders();
  let sentBytes = 0;
  for (const slice of answer.body.slices(0, answer.body.sizeBytes)) {
    const stepBytes = speed === null ? slice.byteLength : pieceBytes(delivery);
    for (let at = 0; at < slice.byteLength; at += stepBytes) {
      const piece = slice.subarray(at, at + stepBytes);
      if (speed !== null) {
        const waitMs = pacer.reserve(speed.key, speed.bytesPerSecond, piece.byteLength);
        if (waitMs > 0) await sleep(waitMs, undefined, { signal: gone });
      }
      if (gone.aborted) return sentBytes;
      sentBytes += piece.byteLength;
      if (!response.write(piece)) await drained(response, gone);
    }
  }
  if (delivery.ending === "reset") {
    // Lets the last bytes leave: a reset discards buffered data.
    await sleep(20, undefined, { signal: gone });
    request.socket.resetAndDestroy();
  } else if (delivery.ending === "silence") {
    if (!gone.aborted) await once(gone, "abort");
  } else if (delivery.ending === "noise") sentBytes += await writeForEver(response, gone);
  else response.end();
  return sentBytes;
}

function speedOf(
  answer: Answer,
  delivery: Delivery,
): { key: string; bytesPerSecond: number } | null {
  if (delivery.bytesPerSecond !== null)
    return { key: `answer ${crypto.randomUUID()}`, bytesPerSecond: delivery.bytesPerSecond };
  return answer.pace ?? null;
}

function pieceBytes(delivery: Delivery): number {
  // At one byte a second, single bytes must arrive instead of one late chunk.
  const perTenth = Math.ceil((delivery.bytesPerSecond ?? Infinity) / 10);
  return Math.max(1, Math.min(PACED_WRITE_BYTES, perTenth));
}

async function writeForEver(response: ServerResponse, gone: AbortSignal): Promise<number> {
  const noise = Buffer.alloc(PACED_WRITE_BYTES, 0x47);
  let sentBytes = 0;
  while (!gone.aborted) {
    response.write(noise);
    sentBytes += noise.byteLength;
    await sleep(10);
  }
  return sentBytes;
}

async function drained(response: ServerResponse, gone: AbortSignal): Promise<void> {
  if (response.writableNeedDrain)
    await once(response, "drain", { signal: gone }).catch(() => undefined);
}
