import type { RequestKind } from "../http/exchange.ts";

/** Which requests a fault is for. Everything named has to fit; nothing named fits every request. */
export type FaultMatch = {
  readonly kind?: RequestKind;
  readonly vodId?: string;
  readonly segmentIndex?: number;
  /** A regular expression tried on path and query. */
  readonly path?: string;
  readonly method?: string;
  /** A text that the request's body has to contain. */
  readonly body?: string;
};

export type RetryAfter = number | string | { readonly dateInSec: number };

/** See the README's table for what each one does to the answer. */
export type Fault =
  | {
      readonly type: "status";
      readonly status: number;
      /** Seconds, any text as it stands, or an HTTP date so many seconds from the request. */
      readonly retryAfter?: RetryAfter;
      readonly message?: string;
    }
  | { readonly type: "truncate"; readonly afterBytes?: number }
  | { readonly type: "overlong"; readonly extraBytes?: number }
  | { readonly type: "empty" }
  | { readonly type: "html" }
  | { readonly type: "stall"; readonly afterBytes?: number; readonly ms?: number }
  | { readonly type: "slow"; readonly bytesPerSecond?: number }
  | { readonly type: "delay"; readonly ms: number }
  | { readonly type: "reset" }
  | { readonly type: "resetMidBody"; readonly afterBytes?: number }
  | { readonly type: "wrongMagic" }
  | { readonly type: "lengthMismatch"; readonly deltaBytes?: number }
  | { readonly type: "bitflip"; readonly atByte?: number }
  | { readonly type: "swap"; readonly withIndex: number }
  | { readonly type: "redirect"; readonly location: string; readonly status?: number }
  | { readonly type: "gzipBomb"; readonly expandsToBytes?: number }
  | { readonly type: "endless" }
  | {
      readonly type: "body";
      readonly body: string;
      readonly status?: number;
      readonly contentType?: string;
    }
  | { readonly type: "replace"; readonly pattern: string; readonly replacement: string }
  | { readonly type: "gqlError"; readonly message: string; readonly challenge?: string }
  | { readonly type: "emptyPage" };

export type FaultRule = {
  readonly id: number;
  readonly match: FaultMatch;
  readonly fault: Fault;
  readonly times: number | "forever";
  readonly usedTimes: number;
};

export type NewFault = {
  readonly match: FaultMatch;
  readonly fault: Fault;
  readonly times?: number | "forever";
};
