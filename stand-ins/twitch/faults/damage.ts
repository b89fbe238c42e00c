import { gzipSync } from "node:zlib";
import type { Answer } from "../http/answer.ts";
import { emptyAnswer, jsonAnswer, textAnswer } from "../http/answer.ts";
import type { ByteSource } from "../http/byte-source.ts";
import { bytesOf, bytesOfText, joinSources, readAll, sliceSource } from "../http/byte-source.ts";
import type { Fault, RetryAfter } from "./fault.ts";

/** How an answer reaches the client, apart from what it says. */
export type Delivery = {
  readonly delayMs: number;
  /** Drop the connection without a word. */
  readonly resetAtOnce: boolean;
  readonly resetAfterBytes: number | null;
  /** Say nothing for `ms` (for ever when null) once so many bytes are out. */
  readonly stall: { readonly afterBytes: number; readonly ms: number | null } | null;
  readonly bytesPerSecond: number | null;
  /** What Content-Length says when it is not the truth. */
  readonly declaredBytes: number | null;
  /** Chunked, and the end never comes. */
  readonly endless: boolean;
};

export type Damaged = { readonly answer: Answer; readonly delivery: Delivery };

export const plainDelivery: Delivery = {
  delayMs: 0,
  resetAtOnce: false,
  resetAfterBytes: null,
  stall: null,
  bytesPerSecond: null,
  declaredBytes: null,
  endless: false,
};

/** `another` gives the body of another segment of the same VOD, for `swap`. */
export function applyFault(
  answer: Answer,
  fault: Fault | null,
  another: (index: number) => ByteSource | null,
  nowMs: number,
): Damaged {
  if (fault === null) {
    return { answer, delivery: plainDelivery };
  }
  const sizeBytes = answer.body.sizeBytes;
  const halfBytes = Math.floor(sizeBytes / 2);
  const says = (changed: Answer): Damaged => ({ answer: changed, delivery: plainDelivery });
  const withBody = (body: ByteSource): Damaged => says({ ...answer, body });
  const arrives = (delivery: Partial<Delivery>): Damaged => ({
    answer,
    delivery: { ...plainDelivery, ...delivery },
  });
  switch (fault.type) {
    case "status":
      return says(statusAnswer(fault.status, fault.retryAfter, fault.message, nowMs));
    case "truncate":
      return withBody(sliceSource(answer.body, 0, fault.afterBytes ?? halfBytes));
    case "overlong":
      return withBody(
        joinSources([answer.body, bytesOf(Buffer.alloc(fault.extraBytes ?? 188, 0x47))]),
      );
    case "empty":
      return withBody(bytesOf(Buffer.alloc(0)));
    case "html":
      return says(
        textAnswer(200, "text/html; charset=utf-8", "<!doctype html><title>Sorry</title>"),
      );
    case "stall":
      return arrives({
        stall: { afterBytes: fault.afterBytes ?? halfBytes, ms: fault.ms ?? null },
      });
    case "slow":
      return arrives({ bytesPerSecond: fault.bytesPerSecond ?? 1 });
    case "delay":
      return arrives({ delayMs: fault.ms });
    case "reset":
      return arrives({ resetAtOnce: true });
    case "resetMidBody":
      return arrives({ resetAfterBytes: fault.afterBytes ?? halfBytes });
    case "wrongMagic":
      return withBody(
        joinSources([bytesOfText("NOTMEDIA"), sliceSource(answer.body, 8, sizeBytes)]),
      );
    case "lengthMismatch":
      return arrives({ declaredBytes: Math.max(0, sizeBytes + (fault.deltaBytes ?? 188)) });
    case "bitflip":
      return withBody(flipBit(answer.body, fault.atByte ?? halfBytes));
    case "swap":
      return withBody(another(fault.withIndex) ?? answer.body);
    case "redirect":
      return says(emptyAnswer(fault.status ?? 302, { location: fault.location }));
    case "gzipBomb":
      return says(gzipBomb(answer, fault.expandsToBytes ?? 2 ** 30));
    case "endless":
      return arrives({ endless: true });
    case "body":
      return says(textAnswer(fault.status ?? 200, fault.contentType ?? "text/plain", fault.body));
    case "replace":
      return withBody(
        bytesOfText(
          readAll(answer.body)
            .toString("utf8")
            .replaceAll(new RegExp(fault.pattern, "g"), fault.replacement),
        ),
      );
    // These two are about meaning, so their handlers deal with them (gql-routes, helix videos).
    case "gqlError":
    case "emptyPage":
      return says(answer);
  }
}

function statusAnswer(
  status: number,
  retryAfter: RetryAfter | undefined,
  message: string | undefined,
  nowMs: number,
): Answer {
  const headers: Record<string, string> = {};
  if (retryAfter !== undefined) {
    headers["retry-after"] =
      typeof retryAfter === "object"
        ? new Date(nowMs + retryAfter.dateInSec * 1_000).toUTCString()
        : String(retryAfter);
  }
  if (status === 204 || status === 304) {
    return emptyAnswer(status, headers);
  }
  const text = message ?? "asked for by a fault";
  return jsonAnswer(status, { error: text, status, message: text }, headers);
}

function flipBit(body: ByteSource, atByte: number): ByteSource {
  const at = Math.min(Math.max(0, atByte), Math.max(0, body.sizeBytes - 1));
  const flipped = readAll(sliceSource(body, at, at + 1)).map((byte) => byte ^ 0x01);
  return joinSources([
    sliceSource(body, 0, at),
    bytesOf(flipped),
    sliceSource(body, at + 1, body.sizeBytes),
  ]);
}

/** Gzip members may follow one another (RFC 1952 section 2.2): 16 MiB of zeros take 16 kB each. */
function gzipBomb(answer: Answer, expandsToBytes: number): Answer {
  const memberBytes = 16 * 1024 * 1024;
  const member = bytesOf(gzipSync(Buffer.alloc(memberBytes)));
  const members = Math.max(1, Math.ceil(expandsToBytes / memberBytes));
  return {
    ...answer,
    headers: { ...answer.headers, "content-encoding": "gzip" },
    body: joinSources(Array.from({ length: members }, () => member)),
  };
}
