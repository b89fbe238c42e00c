/**
 * What one attempt to fetch a unit can end in. The kind decides what happens next:
 * - `unavailable`: the source refuses for now (429, 5xx), or the connection broke off: wait and ask again.
 * - `silent`: nothing came for too long: ask again; the stall watch bounds how often.
 * - `absent`: 401, 403, 404 or 410: read the playlist again, the unit may have a new name.
 * - `foreign`: its host is not one of the source's: the same, for the plan may be older than a move.
 * - `corrupt`: these are not the unit's bytes: fetch again after a growing while, never store.
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
