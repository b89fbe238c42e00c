import type { FailureClass } from "#contract/upload.ts";

/**
 * Errors that end a run before completion. Each is thrown where it is detected and handled once,
 * where the run was started.
 */

/** Another runner or an administrator has taken the upload: stop without another write. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

/** Asked to stop at a checkpoint, e.g. for a shutdown: the next runner continues. */
export class HandedOver extends Error {
  override readonly name = "HandedOver";
}

/** The run had no activity for too long. */
export class Stalled extends Error {
  override readonly name = "Stalled";
}

/** `space`: the store works but has no room. `access`: it refuses access. `ours`: internal. */
export type Culprit = "source" | "storage" | "space" | "access" | "ours";

/** A temporary error of the culprit; the stored parts are valid and the next run continues. */
export class TryLater extends Error {
  override readonly name = "TryLater";
  readonly culprit: Culprit;
  /** The delay that the source asked for; null if none. */
  readonly retryAfterMs: number | null;

  constructor(
    culprit: Culprit,
    message: string,
    options: ErrorOptions & { retryAfterMs?: number | null } = {},
  ) {
    super(message, options);
    this.culprit = culprit;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** The broadcast is still running: try again after `delayMs`. */
export class AwaitGrowth extends Error {
  override readonly name = "AwaitGrowth";
  readonly delayMs: number;

  constructor(delayMs: number) {
    super("The broadcast is still growing");
    this.delayMs = delayMs;
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

/** What was stored so far cannot be continued: the source was re-cut, or the parts are gone. */
export class StartOver extends Error {
  override readonly name = "StartOver";
}
