/** Column ids hidden by an address, e.g. `size,started`; unknown ids have no effect. */
export function hiddenIds(hide: string | undefined): readonly string[] {
  return hide === undefined ? [] : hide.split(",");
}

/** Toggles one column; undefined when nothing is hidden. */
export function withColumn(
  hide: string | undefined,
  hideable: readonly string[],
  id: string,
): string | undefined {
  const hidden = hiddenIds(hide);
  const next = hideable.filter((one) => hidden.includes(one) !== (one === id));
  return next.length === 0 ? undefined : next.join(",");
}
