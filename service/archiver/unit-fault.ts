/**
 * Why an attempt to fetch a unit failed. The kind decides what happens next:
 * - `unavailable`: 408, 429, 5xx, a broken connection, or bytes too slow for their deadline: retry
 *   after a delay.
 * - `silent`: no data for too long: retry; the stall watch bounds how often.
 * - `blocked`: the host refuses this service: as for `unavailable`. The message is a sentence.
 * - `absent`: the host's store has no such object: read the playlist again, because the unit may
 *   have a new name.
 * - `foreign`: the host is not one of the source's: as for `absent`, because hosts may change.
 * - `corrupt`: damaged bytes of a unit: retry with backoff, never store.
 * - `unexpected`: something else than a unit, e.g. a page: as for `corrupt`, but the host may be
 *   the cause.
 */
type UnitFaultKind =
  | "unavailable"
  | "silent"
  | "blocked"
  | "absent"
  | "foreign"
  | "corrupt"
  | "unexpected";

export class UnitFault extends Error {
  override readonly name = "UnitFault";
  readonly kind: UnitFaultKind;
  readonly retryAfterMs: number | null;

  constructor(
    kind: UnitFaultKind,
    message: string,
    options: ErrorOptions & { retryAfterMs?: number | null } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}
