/** A body of known length that a host writes into the caller's memory. */
export type DirectBody = {
  readonly sizeBytes: number;
  /**
   * Call once, unless the body is cancelled. Nothing is written after it settles.
   * @param target as large as the body
   * @param onBytes called with each number of bytes received
   */
  receive(target: Uint8Array, onBytes: (count: number) => void): Promise<void>;
  cancel(): Promise<void>;
};

/** A `Response` is one. */
export type ReceivedResponse = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: ReadableStream<Uint8Array> | DirectBody | null;
};

/**
 * Requests media without a stream between connection and buffer. Does not follow redirects. Aborting
 * `signal` also ends the body. Only the bodies of 200 and 206, and of the refusals 401, 403, 404 and
 * 410, are needed; others may be left out.
 */
export type Receive = (
  url: string,
  init: { readonly headers: Headers; readonly redirect: "manual"; readonly signal: AbortSignal },
) => Promise<ReceivedResponse>;

export function isDirectBody(body: ReadableStream<Uint8Array> | DirectBody): body is DirectBody {
  return "receive" in body;
}
