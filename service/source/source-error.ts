import type { FailureClass } from "#contract/upload.ts";

/**
 * The failure classes of sources; the others are those of the store and of the service.
 * `gone_at_source`: every interface of the source says so now (existence.ts).
 */
export type SourceFailureClass = Extract<
  FailureClass,
  "try_later" | "gone_at_source" | "needs_entitlement" | "source_corrupt"
>;

/**
 * A source refused a request or gave an invalid answer. `message` is a plain sentence for an
 * operator and never contains a token or a signed address.
 */
export class SourceError extends Error {
  override readonly name = "SourceError";
  readonly failureClass: SourceFailureClass;
  /** The delay that the source asked for (Retry-After, Ratelimit-Reset); null if none. */
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
 * Media is on a host that is not allowed. If the playlist is outdated, a new one may name an allowed
 * host; if not, an operator may allow it.
 */
export class ForeignAddress extends SourceError {}

/** A playlist names media at `url`, on another host than its own. */
export class LeadsAway extends SourceError {
  readonly url: URL;

  constructor(message: string, url: URL) {
    super("source_corrupt", message);
    this.url = url;
  }
}

/**
 * The media host has nothing at the address of a playlist, which says nothing about the item: opening
 * it again gives the current address.
 */
export class OutdatedAddress extends SourceError {
  constructor(message: string) {
    super("try_later", message);
  }
}

/** One interface of the source has the item, another says that it does not exist. */
export class ExistenceDisputed extends SourceError {
  constructor(message: string) {
    super("try_later", message);
  }
}
