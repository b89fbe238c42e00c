import type { FailureClass } from "#contract/upload.ts";

/**
 * The ways in which a run ends short of completion. Each is thrown where it is noticed and handled
 * once, where the run was started.
 */

/** Another runner or an administrator has the upload now: leave without another write. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

/** Asked to stop at a checkpoint, e.g. for a shutdown: whoever takes the lease next goes on. */
export class HandedOver extends Error {
  override readonly name = "HandedOver";
}

/** `space`: the store works but has no room. `access`: it does not let us in. */
export type Culprit = "source" | "storage" | "space" | "access" | "ours";

/** Nothing is wrong with what is stored; the source, the store or we ourselves need time. */
export class TryLater extends Error {
  override readonly name = "TryLater";
  readonly culprit: Culprit;
  /** How long it asked us to wait; null when it did not say. */
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

/** The broadcast still runs: come back when there is more. */
export class AwaitGrowth extends Error {
  override readonly name = "AwaitGrowth";
  readonly delayMs: number;

  constructor(delayMs: number) {
    super("The broadcast is still growing");
    this.delayMs = delayMs;
  }
}

/** Waiting will not mend it. `message` is the sentence that the administrator reads. */
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
