import { gzipSync } from "node:zlib";
import { emptyAnswer, jsonAnswer, textAnswer, type Answer } from "../http/answer.ts";
import { blockPage, noSuchObject } from "../media/refusals.ts";
import type { Fault, RetryAfter } from "./fault.ts";

/** How a response is sent, apart from its content. */
export type Delivery = {
  readonly delayMs: number;
  /** Closes the connection without a response. */
  readonly resetAtOnce: boolean;
  readonly bytesPerSecond: number | null;
  /** Null: chunked. */
  readonly contentLength: number | null;
  /** What follows the body: its end, a broken connection, nothing, or bytes without an end. */
  readonly ending: "end" | "reset" | "silence" | "noise";
};

export type Damaged = { readonly answer: Answer; readonly delivery: Delivery };

/**
 * Whether the fault applies before the request is handled, so that it has no effect: a refused
 * token request leaves its code unused. All other faults change the response to a handled request.
 */
export function isInFront(fault: Fault | null): boolean {
  return fault !== null && IN_FRONT_TYPES.has(fault.type);
}

const IN_FRONT_TYPES: ReadonlySet<Fault["type"]> = new Set<Fault["type"]>([
  "status",
  "noSuchObject",
  "blockPage",
  "html",
  "reset",
  "redirect",
  "body",
]);

export function applyFault(whole: Answer, fault: Fault | null, nowMs: number): Damaged {
  const { answer = whole, delivery = {} } = fault === null ? {} : damage(whole, fault, nowMs);
  return {
    answer,
    delivery: {
      delayMs: 0,
      resetAtOnce: false,
      bytesPerSecond: null,
      contentLength: answer.body.byteLength,
      ending: "end",
      ...delivery,
    },
  };
}

type Damage = { readonly answer?: Answer; readonly delivery?: Partial<Delivery> };

function damage(answer: Answer, fault: Fault, nowMs: number): Damage {
  const { body } = answer;
  const halfBytes = Math.floor(body.byteLength / 2);
  const withBody = (changed: Uint8Array): Damage => ({ answer: { ...answer, body: changed } });
  const broken = (afterBytes: number, ending: Delivery["ending"]): Damage => ({
    ...withBody(body.subarray(0, afterBytes)),
    delivery: { contentLength: body.byteLength, ending },
  });
  switch (fault.type) {
    case "status":
      return { answer: statusAnswer(fault.status, fault.retryAfter, nowMs) };
    case "noSuchObject":
      return { answer: noSuchObject() };
    case "blockPage":
      return { answer: blockPage() };
    case "truncate":
      return withBody(body.subarray(0, fault.afterBytes ?? halfBytes));
    case "overlong":
      return withBody(Buffer.concat([body, Buffer.alloc(fault.extraBytes ?? 188, 0x47)]));
    case "empty":
      return withBody(new Uint8Array(0));
    case "html":
      return {
        answer: textAnswer(200, "text/html; charset=utf-8", "<!doctype html><title>Sorry</title>"),
      };
    case "wrongMagic":
      return withBody(Buffer.concat([Buffer.from("NOTMEDIA"), body.subarray(8)]));
    case "redirect":
      return { answer: emptyAnswer(302, { location: fault.location }) };
    case "gzipBomb":
      return { answer: gzipBomb(answer, fault.expandsToBytes ?? 2 ** 30) };
    case "body":
      return {
        answer: textAnswer(fault.status ?? 200, fault.contentType ?? "text/plain", fault.body),
      };
    case "replace":
      return withBody(replaceText(body, fault.pattern, fault.replacement));
    case "stall":
      return broken(fault.afterBytes ?? halfBytes, "silence");
    case "resetMidBody":
      return broken(halfBytes, "reset");
    case "slow":
      return { delivery: { bytesPerSecond: fault.bytesPerSecond ?? 1 } };
    case "delay":
      return { delivery: { delayMs: fault.ms } };
    case "reset":
      return { delivery: { resetAtOnce: true } };
    case "lengthMismatch":
      return { delivery: { contentLength: body.byteLength + 188 } };
    case "endless":
      return { delivery: { contentLength: null, ending: "noise" } };
    default:
      // The handler applies gqlError.
      return {};
  }
}

function replaceText(body: Uint8Array, pattern: string, replacement: string): Uint8Array {
  const text = Buffer.from(body).toString("utf8");
  return Buffer.from(text.replaceAll(new RegExp(pattern, "gm"), replacement));
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
  const member = gzipSync(Buffer.alloc(memberBytes));
  const members = Math.max(1, Math.ceil(expandsToBytes / memberBytes));
  return {
    ...answer,
    headers: { ...answer.headers, "content-encoding": "gzip" },
    body: Buffer.concat(Array.from({ length: members }, () => member)),
  };
}
