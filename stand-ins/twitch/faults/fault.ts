import type { RequestKind } from "../http/exchange.ts";

/** The requests that a fault applies to. All given fields must match; an empty match fits all. */
export type FaultMatch = {
  readonly kind?: RequestKind;
  readonly vodId?: string;
  readonly segmentIndex?: number;
  /** A regular expression matched against path and query. */
  readonly path?: string;
  /** A text that the request's body must contain. */
  readonly body?: string;
  /** The request's Client-ID header. */
  readonly clientId?: string;
};

export type RetryAfter = number | string | { readonly dateInSec: number };

/** The README's table describes the effect of each. */
export type Fault =
  | {
      readonly type: "status";
      readonly status: number;
      /** Seconds, verbatim text, or an HTTP date this many seconds after the request. */
      readonly retryAfter?: RetryAfter;
    }
  | { readonly type: "noSuchObject" }
  | { readonly type: "blockPage" }
  | { readonly type: "truncate"; readonly afterBytes?: number }
  | { readonly type: "overlong"; readonly extraBytes?: number }
  | { readonly type: "empty" }
  | { readonly type: "html" }
  | { readonly type: "stall"; readonly afterBytes?: number }
  | { readonly type: "slow"; readonly bytesPerSecond?: number }
  | { readonly type: "delay"; readonly ms: number }
  | { readonly type: "reset" }
  | { readonly type: "resetMidBody" }
  | { readonly type: "wrongMagic" }
  | { readonly type: "lengthMismatch" }
  | { readonly type: "redirect"; readonly location: string }
  | { readonly type: "gzipBomb"; readonly expandsToBytes?: number }
  | { readonly type: "endless" }
  | {
      readonly type: "body";
      readonly body: string;
      readonly contentType?: string;
      /** 200 unless said otherwise. */
      readonly status?: number;
    }
  | { readonly type: "replace"; readonly pattern: string; readonly replacement: string }
  | { readonly type: "gqlError"; readonly message: string; readonly code?: string };

export type NewFault = {
  readonly match: FaultMatch;
  readonly fault: Fault;
  readonly times?: number | "forever";
  /** Applies only for this time from now on, by the stand-in's clock. */
  readonly forMs?: number;
};
