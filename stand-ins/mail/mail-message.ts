import PostalMime from "postal-mime";
import type { Envelope } from "./smtp-server.ts";

/** A received mail: the session's envelope and the parsed message. */
export type ReceivedMail = Envelope & {
  readonly id: number;
  readonly at: Date;
  /** Header names are in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly subject: string;
  readonly text: string;
  /** Empty for a message without an HTML part. */
  readonly html: string;
};

export async function readMail(
  id: number,
  envelope: Envelope,
  source: Buffer,
): Promise<ReceivedMail> {
  const { headers, subject, text, html } = await PostalMime.parse(source);
  return {
    id,
    at: new Date(),
    ...envelope,
    headers: new Map(headers.map(({ key, value }) => [key, value])),
    subject: subject ?? "",
    text: text ?? "",
    html: html ?? "",
  };
}
