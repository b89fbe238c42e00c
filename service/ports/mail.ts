export type MailMessage = {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The same words as `text`, for readers that show HTML. */
  readonly html: string;
  /** `<unique@domain>`: the same for every attempt to send one message, so that a repeat is recognized. */
  readonly messageId: string;
};

/** Mail needs sockets, so the host sends it. The sender's address is a setting of the host. */
export type MailTransport = {
  /** Resolves when the server has taken the message. @throws {MailError} within `timeoutMs`. */
  send(message: MailMessage, timeoutMs: number): Promise<void>;
};

/**
 * - `refused`: the server will never accept this message (SMTP 5xx, or an invalid address).
 * - `unavailable`: no answer, a broken connection, an untrusted certificate, or SMTP 4xx.
 */
export type MailErrorKind = "refused" | "unavailable";

export class MailError extends Error {
  override readonly name = "MailError";
  readonly kind: MailErrorKind;

  constructor(kind: MailErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
