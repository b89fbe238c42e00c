/** A handler's response. Faults change it before delivery, so handlers never access the socket. */
export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Bytes per second shared by all responses with the same key; absent means unlimited. */
  readonly pace?: { readonly key: string; readonly bytesPerSecond: number };
};

export function jsonAnswer(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return textAnswer(status, "application/json; charset=utf-8", JSON.stringify(value), headers);
}

export function textAnswer(
  status: number,
  contentType: string,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, headers: { "content-type": contentType, ...headers }, body: Buffer.from(text) };
}

export function emptyAnswer(
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, headers, body: new Uint8Array(0) };
}

export function redirectAnswer(location: string): Answer {
  return emptyAnswer(302, { location, "cache-control": "no-store" });
}

/** id.twitch.tv's errors have the short form: status and message (docs/twitch.md#tokens). */
export function idError(status: number, message: string): Answer {
  return jsonAnswer(status, { status, message });
}
