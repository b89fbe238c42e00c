/**
 * What one attempt to fetch a unit can end in. The kind decides what happens next (security.md,
 * segment policy):
 * - `unavailable`: the source refuses for now (429, 5xx, a broken connection): wait and ask again.
 * - `silent`: nothing came for too long: ask again; the stall watch bounds how often.
 * - `absent`: 401, 403, 404 or 410: read the playlist again, the unit may have a new name.
 * - `corrupt`: these are not the unit's bytes: fetch again, never store.
 */
export type UnitFaultKind = "unavailable" | "silent" | "absent" | "corrupt";

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

/** RFC 9110 section 10.2.3: seconds or a date. Null when absent or nonsense. */
export function retryAfterMs(value: string | null, nowMs: number): number | null {
  if (value === null) return null;
  if (/^\d{1,9}$/.test(value.trim())) return Math.min(Number(value) * 1_000, MAX_RETRY_AFTER_MS);
  const dateMs = Date.parse(value);
  if (Number.isNaN(dateMs)) return null;
  return Math.min(Math.max(0, dateMs - nowMs), MAX_RETRY_AFTER_MS);
}

/** A source that asks for more than a day means an error of its own. */
const MAX_RETRY_AFTER_MS = 86_400_000;
