import type { IncomingMessage } from "node:http";

/** Kinds of requests, for faults and the ledger. */
export type RequestKind =
  | "authorize"
  | "token"
  | "validate"
  | "revoke"
  | "helix"
  | "gql"
  | "master"
  | "playlist"
  | "init"
  | "segment"
  | "static"
  | "control"
  | "unknown";

export type Exchange = {
  readonly request: IncomingMessage;
  readonly method: string;
  readonly url: URL;
  readonly body: Buffer;
  readonly kind: RequestKind;
  readonly vodId: string | null;
  /** Position in the VOD, from 0, regardless of the number in the file name. */
  readonly segmentIndex: number | null;
};

export function headerOf(exchange: Exchange, name: string): string | null {
  const value = exchange.request.headers[name.toLowerCase()];
  return typeof value === "string" ? value : null;
}
