import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { HttpBindings } from "@hono/node-server";
import type { Damaged, Delivery } from "../faults/damage.ts";
import type { Answer } from "./answer.ts";
import type { Pacer } from "./pacer.ts";

/** Small enough to notice a client that has gone. */
const WRITE_BYTES = 1024 * 1024;
/** Paced bodies are sent in chunks small enough for a steady stream. */
const PACED_WRITE_BYTES = 16 * 1024;

/**
 * A response that is sent as its delivery specifies, or null if none is. `end` is called once, with
 * the number of body bytes that were sent, before the client has the last of them.
 */
export async function deliver(
  { method, signal: gone }: Request,
  { incoming, outgoing }: HttpBindings,
  damaged: Damaged,
  pacer: Pacer,
  end: (sentBytes: number) => void,
): Promise<Response | null> {
  const { answer, delivery } = damaged;
  if (delivery.delayMs > 0) await pause(delivery.delayMs, gone);
  if (delivery.resetAtOnce) incoming.socket.resetAndDestroy();
  if (gone.aborted || delivery.resetAtOnce) {
    end(0);
    return null;
  }
  const { status, body } = answer;
  const mayHaveBody = status !== 204 && status !== 304;
  const headers = new Headers(answer.headers);
  if (mayHaveBody && delivery.contentLength !== null)
    headers.set("content-length", String(delivery.contentLength));
  const isEmpty = body.byteLength === 0 && delivery.ending === "end";
  if (!mayHaveBody || method === "HEAD" || (isEmpty && delivery.contentLength === 0)) {
    end(0);
    return new Response(null, { status, headers });
  }
  // The client no longer knows where the response ends.
  if (delivery.contentLength !== body.byteLength) headers.set("connection", "close");
  async function reset(): Promise<void> {
    // It discards what has not left.
    while (!outgoing.headersSent && !gone.aborted) await pause(5, gone);
    await pause(20, gone);
    incoming.socket.resetAndDestroy();
  }
  const pieces = send(damaged, pacer, gone, reset, end);
  const sent = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(sent, { status, headers });
}

async function* send(
  { answer: { body, pace }, delivery }: Damaged,
  pacer: Pacer,
  gone: AbortSignal,
  reset: () => Promise<void>,
  end: (sentBytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const speed = speedOf(pace, delivery);
  const stepBytes = speed === undefined ? WRITE_BYTES : pieceBytes(delivery);
  let sentBytes = 0;
  try {
    for (let at = 0; at < body.byteLength && !gone.aborted; at += stepBytes) {
      const piece = body.subarray(at, at + stepBytes);
      if (speed !== undefined)
        await pause(pacer.reserve(speed.key, speed.bytesPerSecond, piece.byteLength), gone);
      sentBytes += piece.byteLength;
      yield piece;
    }
    if (delivery.ending === "reset") await reset();
    else if (delivery.ending === "silence") {
      if (!gone.aborted) await once(gone, "abort");
    } else if (delivery.ending === "noise") {
      for (; !gone.aborted; await pause(10, gone)) {
        sentBytes += PACED_WRITE_BYTES;
        yield Buffer.alloc(PACED_WRITE_BYTES, 0x47);
      }
    }
  } finally {
    end(sentBytes);
  }
}

async function pause(ms: number, gone: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: gone }).catch(() => undefined);
}

function speedOf(pace: Answer["pace"], { bytesPerSecond }: Delivery): Answer["pace"] {
  if (bytesPerSecond === null) return pace;
  return { key: `answer ${crypto.randomUUID()}`, bytesPerSecond };
}

function pieceBytes(delivery: Delivery): number {
  // At one byte a second, single bytes must arrive instead of one late chunk.
  const perTenth = Math.ceil((delivery.bytesPerSecond ?? Infinity) / 10);
  return Math.max(1, Math.min(PACED_WRITE_BYTES, perTenth));
}
