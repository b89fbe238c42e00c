import type { StoredUnit } from "#service/storage/checkpoint.ts";
import { isGap, type UnitFetch } from "./unit-fetch.ts";
import type { UnitBody } from "./unit-body.ts";

/**
 * A damaged unit delays those behind it for seconds only, because bytes are stored in order. It is
 * passed over, and looked at again when all others are stored: by then minutes or hours have passed,
 * and all damaged units wait at the same time. If the source has one of them whole, the copy is taken
 * back to it (archive-copy.ts).
 */

/** If none of so many has recovered, neither have the others: their damage is the source's. */
const MAX_UNITS = 100;

/** A source that changes what it sends again and again must not have the rest copied each time. */
export const MAX_TAKE_BACKS = 3;

/** Ends a copy whose unit `unit` was damaged and is not any more. */
export class UnitRecovered extends Error {
  override readonly name = "UnitRecovered";
  readonly unit: number;

  constructor(unit: number) {
    super(`Unit ${unit} is no longer damaged at the source`);
    this.unit = unit;
  }
}

/** @throws {UnitRecovered} for the first unit that has recovered, and what `fetch` throws */
export async function lookAgain(
  units: readonly StoredUnit[],
  fetch: UnitFetch,
  giveBack: (body: UnitBody) => void,
  connections: number,
  signal: AbortSignal,
): Promise<void> {
  const damaged = units.flatMap((unit, index) => (unit.isDamaged === true ? [index] : []));
  const queue = damaged.slice(0, MAX_UNITS).values();
  const recovered: number[] = [];
  const look = async () => {
    for (const index of queue) {
      const fetched = await fetch(index, signal, () => undefined, true);
      if (isGap(fetched)) continue;
      giveBack(fetched);
      recovered.push(index);
    }
  };
  await Promise.all(Array.from({ length: connections }, look));
  if (recovered.length > 0) throw new UnitRecovered(Math.min(...recovered));
}
