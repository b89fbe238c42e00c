import * as fc from "fast-check";
import { createSeededDice, type SeededDice } from "../seeded-dice.ts";

export type FuzzDice = SeededDice & {
  /** A value of the arbitrary. */
  readonly draw: <T>(values: fc.Arbitrary<T>) => T;
};

export function createFuzzDice(seed: number): FuzzDice {
  const dice = createSeededDice(seed);
  return {
    ...dice,
    draw(values) {
      const order = { seed: dice.between(0, 2 ** 31 - 1), numRuns: 1, unbiased: true };
      return dice.pick(fc.sample(values, order));
    },
  };
}
