import { bytesOf, bytesOfText, type ByteSource } from "./byte-source.ts";

/**
 * What a handler wants to say. Faults change it before delivery, so handlers never see the socket.
 */
export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ByteSource;
  /** Bytes per second shared by every answer with the same key; absent means as fast as it goes. */
  readonly pace?: { readonly key: string; readonly bytesPerSecond: number };
};

const noBytes = bytesOf(new Uint8Array(0));

export function jsonAnswer(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
    body: bytesOfText(JSON.stringify(value)),
  };
}

export function textAnswer(
  status: number,
  contentType: string,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, headers: { "content-type": contentType, ...headers }, body: bytesOfText(text) };
}

export function emptyAnswer(
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, headers, body: noBytes };
}

export function redirectAnswer(location: string): Answer {
  return emptyAnswer(302, { location, "cache-control": "no-store" });
}

/** The short form of id.twitch.tv's errors: status and message, no code (docs/twitch.md#tokens). */
export function idError(status: number, message: string): Answer {
  return jsonAnswer(status, { status, message });
}
