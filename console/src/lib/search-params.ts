/**
 * Readers for search parameters. Anyone can type an address, so invalid values count as absent, and
 * defaults are never written to it.
 */
export type RawSearch = Readonly<Record<string, unknown>>;

export function readText(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  return value.slice(0, maxLength);
}

/** The hidden columns of a list; all column ids of the widest list fit into the limit. */
export function readHide(value: unknown): string | undefined {
  return readText(value, 100);
}

export function readPage(value: unknown): number | undefined {
  const page = typeof value === "string" && /^\d{1,7}$/.test(value) ? Number(value) : value;
  return typeof page === "number" && Number.isInteger(page) && page > 1 ? page : undefined;
}

export function readChoice<Choice extends string>(
  value: unknown,
  choices: readonly Choice[],
): Choice | undefined {
  return choices.find((choice) => choice === value);
}

/** True only for `true`; for flags that are off by default. */
export function readFlag(value: unknown): true | undefined {
  return value === "true" || value === true ? true : undefined;
}

/** Values are plain text both ways: a search for `123` stays text and needs no quotes. */
export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(search: RawSearch): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined);
  const params = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return params.size === 0 ? "" : `?${params}`;
}
