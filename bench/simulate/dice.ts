import { createSeededRandom } from "../rigs/random.ts";

/** Random choices; the same seed gives the same choices. */
export type SeededDice = {
  /** From 0 up to 1. */
  random(): number;
  chance(share: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number;
  /** An independent stream of choices, so that a new choice here changes none there. */
  fork(name: string): SeededDice;
};

export function createSeededDice(seed: number): SeededDice {
  const random = createSeededRandom(seed);
  return {
    random,
    chance: (share) => random() < share,
    pick<T>(list: readonly T[]): T {
      const chosen = list[Math.floor(random() * list.length)];
      if (chosen === undefined) throw new Error("There is nothing to pick from");
      return chosen;
    },
    between: (least, most) => least + Math.floor(random() * (most - least + 1)),
    fork: (name) =>
      createSeededDice(
        Array.from(name).reduce(
          (sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0),
          seed + 1,
        ),
      ),
  };
}
