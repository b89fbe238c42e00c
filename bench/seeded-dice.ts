/** Random choices; the same seed gives the same choices. */
export type SeededDice = {
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly chance: (share: number) => boolean;
  readonly pick: <T>(list: readonly T[]) => T;
  /** A whole number from `least` to `most`. */
  readonly between: (least: number, most: number) => number;
  /** An independent stream of choices, so that a new choice here changes none there. */
  readonly fork: (name: string) => SeededDice;
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

/** mulberry32 */
function createSeededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
