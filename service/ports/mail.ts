export type MailMessage = {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The content of `text` as HTML. */
  readonly html: string;
  /**
   * `<unique@domain>`: the same for every attempt to send a message, so that duplicates are
   * recognized.
   */
  readonly messageId: string;
};

/** The host sends mail, because it needs sockets. The sender's address is a setting of the host. */
export type MailTransport = {
  /** Resolves when the server has accepted the message. @throws {MailError} within `timeoutMs`. */
  send(message: MailMessage, timeoutMs: number): Promise<void>;
  /** Signs in to the server without sending anything. @throws {MailError} within `timeoutMs`. */
  verify(timeoutMs: number): Promise<void>;
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
