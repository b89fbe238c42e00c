import type { FailureClass } from "#contract/upload.ts";

/** The classes of failure that a source can cause; the rest are the store's or our own. */
export type SourceFailureClass = Extract<
  FailureClass,
  "try_later" | "gone_at_source" | "needs_entitlement" | "source_corrupt"
>;

/**
 * A source said no, or said nonsense. `message` is a plain sentence for an operator and never
 * holds a token or a signed address.
 */
export class SourceError extends Error {
  override readonly name = "SourceError";
  readonly failureClass: SourceFailureClass;
  /** How long the source asked us to wait (Retry-After, Ratelimit-Reset); null when it did not. */
  readonly retryAfterMs: number | null;

  constructor(
    failureClass: SourceFailureClass,
    message: string,
    options: ErrorOptions & { retryAfterMs?: number | null } = {},
  ) {
    super(message, options);
    this.failureClass = failureClass;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/**
 * A playlist sends us to a host that media may not come from. When the playlist is an old one, a
 * fresh one may name another.
 */
export class ForeignAddress extends SourceError {
  constructor(message: string) {
    super("source_corrupt", message);
  }
}
