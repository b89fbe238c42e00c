export type Bursts<Item> = {
  readonly add: (item: Item) => void;
  /** Delivers pending items at once. */
  readonly flush: () => void;
};

/**
 * Delivers items in batches, in order: the first one at once, later ones every `intervalMs`, until
 * an interval brings none.
 */
export function collectBursts<Item>(
  intervalMs: number,
  handOver: (items: readonly Item[]) => void,
): Bursts<Item> {
  let waiting: Item[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  function handOverAll(): void {
    const items = waiting;
    waiting = [];
    if (items.length > 0) handOver(items);
  }
  function tick(): void {
    timer = waiting.length > 0 ? setTimeout(tick, intervalMs) : undefined;
    handOverAll();
  }
  return {
    add(item) {
      waiting.push(item);
      if (timer === undefined) tick();
    },
    flush() {
      clearTimeout(timer);
      timer = undefined;
      handOverAll();
    },
  };
}
