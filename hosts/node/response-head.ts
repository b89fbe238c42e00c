export type ResponseHead = {
  readonly status: number;
  readonly headers: Headers;
  /** Length of a body that is sent as it is; null for any other. */
  readonly plainBodyBytes: number | null;
  readonly isKeptAlive: boolean;
};

const STATUS_LINE = /^HTTP\/1\.1 ([2-5]\d\d)(?: [\t\x20-\x7E\x80-\xFF]*)?$/;

/**
 * Names are tokens; values have no control characters (RFC 9110 sections 5.1 and 5.5). Headers trims
 * the values.
 */
const HEADER_LINE = /^([\w!#$%&'*+.^`|~-]+):([\t\x20-\x7E\x80-\xFF]*)$/;

/**
 * Parses the head of a final HTTP/1.1 response (RFC 9112), without the empty line. Null for anything
 * unusual: interim responses, HTTP/1.0, folded lines, stray line ends.
 */
export function parseResponseHead(text: string): ResponseHead | null {
  const [statusLine = "", ...lines] = text.split("\r\n");
  const status = Number(STATUS_LINE.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) return null;
  const headers = new Headers();
  for (const line of lines) {
    const [, name, value] = HEADER_LINE.exec(line) ?? [];
    if (name === undefined || value === undefined) return null;
    headers.append(name, value);
  }
  const connection = headers.get("connection");
  return {
    status,
    headers,
    plainBodyBytes: plainBodyBytes(status, headers),
    isKeptAlive: connection === null || connection.toLowerCase() === "keep-alive",
  };
}

/** A repeated Content-Length is joined with a comma and is no number. */
function plainBodyBytes(status: number, headers: Headers): number | null {
  const isPlain =
    (status === 200 || status === 206) &&
    !headers.has("transfer-encoding") &&
    (headers.get("content-encoding") ?? "identity") === "identity" &&
    /^\d{1,15}$/.test(headers.get("content-length") ?? "");
  return isPlain ? Number(headers.get("content-length")) : null;
}
