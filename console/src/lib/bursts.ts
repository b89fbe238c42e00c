export type Bursts<Item> = {
  readonly add: (item: Item) => void;
  /** Hands over what waits, at once. */
  readonly flush: () => void;
};

/**
 * Hands items over together, in their order: the first one at once, then whatever arrived meanwhile
 * every `intervalMs`, until an interval brings nothing.
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
