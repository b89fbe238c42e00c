/** Random choices; the same stream of random numbers gives the same choices. */
export type Dice = {
  readonly random: () => number;
  readonly pick: <T>(list: readonly T[]) => T;
  readonly chance: (share: number) => boolean;
};

export function createDice(random: () => number): Dice {
  return {
    random,
    pick(list) {
      const chosen = list[Math.floor(random() * list.length)];
      if (chosen === undefined) throw new Error("There is nothing to pick from");
      return chosen;
    },
    chance: (share) => random() < share,
  };
}
