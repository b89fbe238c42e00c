import type { SeededDice } from "../seeded-dice.ts";

/** The share of calls that each fault strikes. A seed uses only some faults, each at its own rate. */
export type Faults = {
  databaseRefuses: number;
  /** The write took effect, its answer is lost. */
  databaseAnswerLost: number;
  storeRefuses: number;
  storeAnswerLost: number;
  /** The store reports a failure and carries the call out later. */
  storeActsLate: number;
  storeFull: number;
  /** Per user action: the disk is unmounted, or access is denied, for a while. */
  storeUnmounted: number;
  storeDenies: number;
  /** A part arrives damaged, and its tag says so. */
  partDamaged: number;
  /** The store has forgotten a multipart upload. */
  multipartForgotten: number;
  wakeUpLost: number;
  wakeUpTwice: number;
  sourceRefuses: number;
  sourceThrottles: number;
  sourceHangs: number;
  sourceCut: number;
  /** One interface says that a VOD does not exist, while the others have it. */
  sourceDenies: number;
  mailRefuses: number;
  mailAnswerLost: number;
  /** Per user action: a process is killed, stopped in order, or suspended. */
  kill: number;
  stop: number;
  suspend: number;
};

const MOST: Faults = {
  databaseRefuses: 0.02,
  databaseAnswerLost: 0.02,
  storeRefuses: 0.2,
  storeAnswerLost: 0.1,
  storeActsLate: 0.1,
  storeFull: 0.03,
  storeUnmounted: 0.3,
  storeDenies: 0.2,
  partDamaged: 0.4,
  multipartForgotten: 0.01,
  wakeUpLost: 0.8,
  wakeUpTwice: 0.5,
  sourceRefuses: 0.15,
  sourceThrottles: 0.1,
  sourceHangs: 0.05,
  sourceCut: 0.15,
  sourceDenies: 0.7,
  mailRefuses: 0.3,
  mailAnswerLost: 0.2,
  kill: 0.4,
  stop: 0.2,
  suspend: 0.5,
};

export function drawFaults(dice: SeededDice): Faults {
  const faults = { ...MOST };
  for (const [name, most] of Object.entries(MOST))
    Object.assign(faults, { [name]: dice.chance(0.5) ? 0 : dice.random() * most });
  return faults;
}

/** From now on nothing fails. */
export function endFaults(faults: Faults): void {
  for (const name of Object.keys(faults)) Object.assign(faults, { [name]: 0 });
}
