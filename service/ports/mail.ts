export type MailMessage = {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The same for every try of one message, so that a repeat shows as one mail. */
  readonly messageId: string;
};

/** Mail needs sockets, which is why it is the host's. The sender's address is the host's setting. */
export type MailTransport = {
  /** Resolves when the server has taken the message. @throws {MailError} within `timeoutMs`. */
  send(message: MailMessage, timeoutMs: number): Promise<void>;
};

/**
 * - `refused`: the server will never take this message (SMTP 5xx, or an unfit address).
 * - `unavailable`: no answer, a broken connection, or a try-later answer (SMTP 4xx).
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
