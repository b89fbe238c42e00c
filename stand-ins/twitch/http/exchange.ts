import type { IncomingMessage } from "node:http";

/** Kinds of requests, for faults and the ledger. */
export const REQUEST_KINDS = [
  "authorize",
  "token",
  "validate",
  "revoke",
  "oidc",
  "helix",
  "eventsub",
  "gql",
  "master",
  "playlist",
  "init",
  "segment",
  "static",
  "control",
  "unknown",
] as const;

export type RequestKind = (typeof REQUEST_KINDS)[number];

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
