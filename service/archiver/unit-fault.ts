/**
 * Why an attempt to fetch a unit failed. The kind decides what happens next:
 * - `unavailable`: 408, 429, 5xx or a broken connection: retry after a delay.
 * - `silent`: no data for too long: retry; the stall watch bounds how often.
 * - `absent`: 401, 403, 404 or 410: read the playlist again, because the unit may have a new name.
 * - `foreign`: the host is not one of the source's: as for `absent`, because hosts may change.
 * - `corrupt`: not the unit's bytes: retry with backoff, never store.
 */
export type UnitFaultKind = "unavailable" | "silent" | "absent" | "foreign" | "corrupt";

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
