/** The median item by a figure. @throws when the list is empty */
export function medianBy<T>(list: readonly T[], of: (item: T) => number): T {
  const sorted = list.toSorted((left, right) => of(left) - of(right));
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error("Nothing was measured");
  return middle;
}
