import type { IncomingMessage } from "node:http";

/** What a request can be about, as faults and the ledger see it. */
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
  /** Position in the VOD, from 0, whatever number the file name carries. */
  readonly segmentIndex: number | null;
};

export function headerOf(exchange: Exchange, name: string): string | null {
  const value = exchange.request.headers[name.toLowerCase()];
  return typeof value === "string" ? value : null;
}
