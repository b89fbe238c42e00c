import { gzipSync } from "node:zlib";
import { emptyAnswer, jsonAnswer, textAnswer, type Answer } from "../http/answer.ts";
import {
  bytesOf,
  bytesOfText,
  joinSources,
  readAll,
  sliceSource,
  type ByteSource,
} from "../http/byte-source.ts";
import type { Fault, RetryAfter } from "./fault.ts";

/** How a response is sent, apart from its content. */
export type Delivery = {
  readonly delayMs: number;
  /** Closes the connection without a response. */
  readonly resetAtOnce: boolean;
  readonly resetAfterBytes: number | null;
  /** Sends nothing more after this many bytes. */
  readonly stallAfterBytes: number | null;
  readonly bytesPerSecond: number | null;
  /** A wrong Content-Length. */
  readonly declaredBytes: number | null;
  /** Chunked, without an end. */
  readonly endless: boolean;
};

export type Damaged = { readonly answer: Answer; readonly delivery: Delivery };

const plainDelivery: Delivery = {
  delayMs: 0,
  resetAtOnce: false,
  resetAfterBytes: null,
  stallAfterBytes: null,
  bytesPerSecond: null,
  declaredBytes: null,
  endless: false,
};

/**
 * Whether the fault applies before the request is handled, so that it has no effect: a refused
 * token request leaves its code unused. All other faults change the response to a handled request.
 */
export function isInFront(fault: Fault | null): boolean {
  return fault !== null && IN_FRONT_TYPES.has(fault.type);
}

const IN_FRONT_TYPES: ReadonlySet<Fault["type"]> = new Set<Fault["type"]>([
  "status",
  "html",
  "reset",
  "redirect",
  "body",
]);

export function applyFault(answer: Answer, fault: Fault | null, nowMs: number): Damaged {
  return fault === null
    ? { answer, delivery: plainDelivery }
    : {
        answer: changeAnswer(answer, fault, nowMs),
        delivery: { ...plainDelivery, ...changeDelivery(answer, fault) },
      };
}

function changeAnswer(answer: Answer, fault: Fault, nowMs: number): Answer {
  const { body } = answer;
  const halfBytes = Math.floor(body.sizeBytes / 2);
  switch (fault.type) {
    case "status":
      return statusAnswer(fault.status, fault.retryAfter, nowMs);
    case "truncate":
      return { ...answer, body: sliceSource(body, 0, fault.afterBytes ?? halfBytes) };
    case "overlong": {
      const extra = bytesOf(Buffer.alloc(fault.extraBytes ?? 188, 0x47));
      return { ...answer, body: joinSources([body, extra]) };
    }
    case "empty":
      return { ...answer, body: bytesOf(Buffer.alloc(0)) };
    case "html":
      return textAnswer(200, "text/html; charset=utf-8", "<!doctype html><title>Sorry</title>");
    case "wrongMagic":
      return {
        ...answer,
        body: joinSources([bytesOfText("NOTMEDIA"), sliceSource(body, 8, body.sizeBytes)]),
      };
    case "redirect":
      return emptyAnswer(302, { location: fault.location });
    case "gzipBomb":
      return gzipBomb(answer, fault.expandsToBytes ?? 2 ** 30);
    case "body":
      return textAnswer(200, fault.contentType ?? "text/plain", fault.body);
    case "replace":
      return { ...answer, body: replaceText(body, fault.pattern, fault.replacement) };
    default:
      // Affects delivery, or is applied by the handler (gqlError).
      return answer;
  }
}

function changeDelivery(answer: Answer, fault: Fault): Partial<Delivery> {
  const sizeBytes = answer.body.sizeBytes;
  const halfBytes = Math.floor(sizeBytes / 2);
  switch (fault.type) {
    case "stall":
      return { stallAfterBytes: fault.afterBytes ?? halfBytes };
    case "slow":
      return { bytesPerSecond: fault.bytesPerSecond ?? 1 };
    case "delay":
      return { delayMs: fault.ms };
    case "reset":
      return { resetAtOnce: true };
    case "resetMidBody":
      return { resetAfterBytes: halfBytes };
    case "lengthMismatch":
      return { declaredBytes: sizeBytes + 188 };
    case "endless":
      return { endless: true };
    default:
      return {};
  }
}

function replaceText(body: ByteSource, pattern: string, replacement: string): ByteSource {
  const text = readAll(body).toString("utf8");
  return bytesOfText(text.replaceAll(new RegExp(pattern, "gm"), replacement));
}

function statusAnswer(status: number, retryAfter: RetryAfter | undefined, nowMs: number): Answer {
  const headers: Record<string, string> = {};
  if (retryAfter !== undefined) {
    headers["retry-after"] =
      typeof retryAfter === "object"
        ? new Date(nowMs + retryAfter.dateInSec * 1_000).toUTCString()
        : String(retryAfter);
  }
  if (status === 204 || status === 304) return emptyAnswer(status, headers);
  const message = "asked for by a fault";
  return jsonAnswer(status, { error: message, status, message }, headers);
}

/** Gzip allows concatenated members (RFC 1952 section 2.2): 16 MiB of zeros take 16 kB each. */
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
