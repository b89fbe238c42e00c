import type { MediaTarget } from "../media/media-routes.ts";

/** Kinds of requests, for faults and the ledger. */
export type RequestKind =
  | "authorize"
  | "token"
  | "device"
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

/** What a request is about. */
export type RequestAbout = {
  readonly kind: RequestKind;
  readonly vodId: string | null;
  /** Position in the VOD, from 0, regardless of the number in the file name. */
  readonly segmentIndex: number | null;
  readonly target: MediaTarget | null;
};

export type Exchange = RequestAbout & {
  readonly headers: Headers;
  readonly method: string;
  readonly url: URL;
  readonly body: Buffer;
};
