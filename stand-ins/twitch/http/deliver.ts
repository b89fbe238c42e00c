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
    writeHead(response, answer, delivery);
    if (request.method === "HEAD" || !mayHaveBody(answer.status)) {
      response.end();
      return 0;
    }
    if (isPlain(answer, delivery)) {
      response.end(readOne(answer));
      return answer.body.sizeBytes;
    }
    return await stream(request, response, damaged, pacer, gone.signal);
  } catch (error) {
    if (gone.signal.aborted) return 0;
    throw error;
  }
}

function writeHead(response: ServerResponse, answer: Answer, delivery: Delivery): void {
  const headers: Record<string, string> = { ...answer.headers };
  if (delivery.declaredBytes !== null) {
    headers["content-length"] = String(delivery.declaredBytes);
    // The connection cannot be reused: the client no longer knows where the response ends.
    headers["connection"] = "close";
  } else if (!delivery.endless && mayHaveBody(answer.status)) {
    headers["content-length"] = String(answer.body.sizeBytes);
  }
  response.writeHead(answer.status, headers);
}

function mayHaveBody(status: number): boolean {
  return status >= 200 && status !== 204 && status !== 304;
}

function isPlain(answer: Answer, delivery: Delivery): boolean {
  return (
    answer.body.sizeBytes <= SINGLE_WRITE_BYTES &&
    answer.pace === undefined &&
    delivery.resetAfterBytes === null &&
    delivery.stallAfterBytes === null &&
    delivery.bytesPerSecond === null &&
    delivery.declaredBytes === null &&
    !delivery.endless
  );
}

function readOne(answer: Answer): Uint8Array {
  const slices = [...answer.body.slices(0, answer.body.sizeBytes)];
  return slices.length === 1 && slices[0] !== undefined ? slices[0] : readAll(answer.body);
}

async function stream(
  request: IncomingMessage,
  response: ServerResponse,
  { answer, delivery }: Damaged,
  pacer: Pacer,
  gone: AbortSignal,
): Promise<number> {
  const speed = speedOf(answer, delivery);
  const stallAt = Math.min(delivery.stallAfterBytes ?? Infinity, answer.body.sizeBytes);
  const isStalled = (sentBytes: number) =>
    delivery.stallAfterBytes !== null && sentBytes === stallAt;
  response.flushHeaders();
  let sentBytes = 0;
  for (const piece of pieces(answer, delivery, speed !== null)) {
    if (delivery.resetAfterBytes !== null && sentBytes >= delivery.resetAfterBytes) break;
    if (isStalled(sentBytes)) await aborted(gone);
    if (speed !== null) {
      const waitMs = pacer.reserve(speed.key, speed.bytesPerSecond, piece.byteLength);
      if (waitMs > 0) await sleep(waitMs, undefined, { signal: gone });
    }
    if (gone.aborted) return sentBytes;
    sentBytes += piece.byteLength;
    if (!response.write(piece)) await drained(response, gone);
  }
  if (delivery.resetAfterBytes !== null) {
    // Lets the last bytes leave: a reset discards buffered data.
    await sleep(20, undefined, { signal: gone });
    request.socket.resetAndDestroy();
    return sentBytes;
  }
  if (isStalled(sentBytes)) await aborted(gone);
  if (delivery.endless) {
    sentBytes += await writeForEver(response, gone);
    return sentBytes;
  }
  response.end();
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

/** Splits the body at the delivery's actions, and into small chunks when it is paced. */
function* pieces(answer: Answer, delivery: Delivery, isPaced: boolean): Generator<Uint8Array> {
  const sizeBytes = answer.body.sizeBytes;
  const cuts = [delivery.resetAfterBytes, delivery.stallAfterBytes, sizeBytes]
    .filter((cut) => cut !== null)
    .map((cut) => Math.min(cut, sizeBytes))
    .toSorted((left, right) => left - right);
  let from = 0;
  for (const cut of cuts) {
    for (const slice of answer.body.slices(from, cut)) {
      const stepBytes = isPaced ? pieceBytes(delivery) : slice.byteLength;
      for (let at = 0; at < slice.byteLength; at += stepBytes)
        yield slice.subarray(at, at + stepBytes);
    }
    from = cut;
  }
}

function pieceBytes(delivery: Delivery): number {
  // At one byte a second, single bytes must arrive instead of one late chunk.
  const perTenth = Math.ceil((delivery.bytesPerSecond ?? Infinity) / 10);
  return Math.max(1, Math.min(PACED_WRITE_BYTES, perTenth));
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
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
