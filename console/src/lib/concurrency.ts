/** Runs `work` over all items, at most `atOnce` of them at the same time. `work` must not throw. */
export async function mapWithConcurrency<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  async function worker(): Promise<void> {
    for (const item of queue) await work(item);
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}
