/** A mail as it arrived: the envelope of the session and what the message says. */
export type ReceivedMail = {
  readonly id: number;
  readonly at: Date;
  readonly from: string;
  readonly recipients: readonly string[];
  readonly headers: ReadonlyMap<string, string>;
  readonly subject: string;
  readonly text: string;
  readonly source: string;
};

/** Reads a one-part text message (RFC 5322, MIME encodings of RFC 2045 and 2047). */
export function readMail(
  id: number,
  envelope: { readonly from: string; readonly recipients: readonly string[] },
  source: string,
): ReceivedMail {
  const end = source.indexOf("\r\n\r\n");
  const head = end === -1 ? source : source.slice(0, end);
  const body = end === -1 ? "" : source.slice(end + 4);
  const headers = readHeaders(head);
  return {
    id,
    at: new Date(),
    ...envelope,
    headers,
    subject: decodeWords(headers.get("subject") ?? ""),
    text: decodeBody(body, headers.get("content-transfer-encoding") ?? "7bit"),
    source,
  };
}

/** Names in lower case; folded lines are joined (RFC 5322 section 2.2.3). */
function readHeaders(head: string): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of head.replaceAll(/\r\n[ \t]+/g, " ").split("\r\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  return headers;
}

/** Encoded words of RFC 2047; white space between two of them is not part of the text. */
function decodeWords(text: string): string {
  return text
    .replaceAll(/\?=\s+=\?/g, "?==?")
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_match, encoding: string, encoded: string) =>
      encoding.toLowerCase() === "b"
        ? Buffer.from(encoded, "base64").toString("utf8")
        : decodeQuotedPrintable(encoded.replaceAll("_", " ")),
    );
}

function decodeBody(body: string, encoding: string): string {
  switch (encoding.toLowerCase()) {
    case "base64":
      return Buffer.from(body, "base64").toString("utf8");
    case "quoted-printable":
      return decodeQuotedPrintable(body);
    default:
      return Buffer.from(body, "latin1").toString("utf8");
  }
}

function decodeQuotedPrintable(text: string): string {
  const bytes = text
    .replaceAll(/=\r?\n/g, "")
    .replaceAll(/=([0-9a-f]{2})/gi, (_match, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  return Buffer.from(bytes, "latin1").toString("utf8");
}
