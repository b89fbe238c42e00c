import type { FailureClass } from "#contract/upload.ts";

/*
 * The errors that end a run before its upload is completed. run-outcome.ts records each of them.
 */

/** Asked to stop at a checkpoint, e.g. for a shutdown: the next runner continues. */
export class HandedOver extends Error {
  override readonly name = "HandedOver";
}

/** The run had no activity for too long. */
export class Stalled extends Error {
  override readonly name = "Stalled";
}

/**
 * Where a temporary error comes from. `space`: the store works but has no room. `room`: it has none
 * for this upload, but for others. `access`: it refuses access. `internal`: an error of this service.
 */
export type FailureOrigin = "source" | "storage" | "space" | "room" | "access" | "internal";

/** A temporary error; the stored parts are valid and the next run continues. */
export class TryLater extends Error {
  override readonly name = "TryLater";
  readonly origin: FailureOrigin;
  /** The delay that the source asked for; null if none. */
  readonly retryAfterMs: number | null;

  constructor(
    origin: FailureOrigin,
    message: string,
    options: ErrorOptions & { retryAfterMs?: number | null } = {},
  ) {
    super(message, options);
    this.origin = origin;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** The broadcast may still grow: try again after `delayMs`. `reason` is shown meanwhile: null while it goes on. */
export class AwaitGrowth extends Error {
  override readonly name = "AwaitGrowth";
  readonly delayMs: number;
  readonly reason: string | null;

  constructor(delayMs: number, reason: string | null = null) {
    super("The broadcast may still grow");
    this.delayMs = delayMs;
    this.reason = reason;
  }
}

/** A permanent error. `message` is the sentence that the administrator reads. */
export class ArchiveFailed extends Error {
  override readonly name = "ArchiveFailed";
  readonly failureClass: FailureClass;

  constructor(failureClass: FailureClass, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failureClass = failureClass;
  }
}

/** A crash has many causes, but three in a row while the same upload begins alone are its own. */
const MAX_LOST_STARTS = 3;

/**
 * Call before a run reads what the source or the store says of the upload.
 * @throws {ArchiveFailed} when too many runs were lost there: the process ended or hung
 */
export function refuseLostStarts(upload: { readonly lost_starts: number }): void {
  if (upload.lost_starts > MAX_LOST_STARTS)
    throw new ArchiveFailed(
      "ours",
      `The service stopped at each of ${MAX_LOST_STARTS} attempts to begin this alone. A retry tries it again.`,
    );
}

/** What was stored so far cannot be continued: the source was re-cut, or the parts are gone. */
export class StartOver extends Error {
  override readonly name = "StartOver";
}
