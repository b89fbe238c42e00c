import * as fc from "fast-check";

/** Random choices; the same seed gives the same choices. */
export type Dice = {
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly pick: <T>(list: readonly T[]) => T;
  readonly chance: (share: number) => boolean;
  /** A value of an arbitrary, which is built once for each function. */
  readonly draw: <T>(build: () => fc.Arbitrary<T>) => T;
};

export function createDice(seed: number): Dice {
  const [generate] = fc.sample(fc.gen(), { seed, numRuns: 1, unbiased: true });
  if (generate === undefined) throw new Error("There is no generator");
  const random = (): number => generate(fc.nat, 9_999) / 10_000;
  return {
    random,
    pick: <T>(list: readonly T[]): T => {
      const chosen = list[Math.floor(random() * list.length)];
      if (chosen === undefined) throw new Error("There is nothing to pick from");
      return chosen;
    },
    chance: (share) => random() < share,
    draw: (build) => generate(build),
  };
}
