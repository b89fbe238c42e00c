import * as z from "zod/mini";
import { MAX_SEARCH_LENGTH } from "#contract/limits.ts";

export type RawSearch = Readonly<Record<string, unknown>>;

type Shape = Readonly<Record<string, z.core.$ZodType>>;

/** What is left of an address: each parameter is valid or absent. */
export type SearchOf<S extends Shape> = {
  readonly [Name in keyof S]?: z.output<S[Name]> | undefined;
};

/**
 * Reads search parameters by their schemas. Anyone can type an address, so invalid values count as
 * absent, and defaults are never written to it.
 */
export function searchReader<S extends Shape>(shape: S) {
  return (raw: RawSearch): SearchOf<S> =>
    // `Object.fromEntries` forgets which name has which type.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    Object.fromEntries(
      Object.entries(shape).map(([name, schema]) => [name, z.safeParse(schema, raw[name]).data]),
    ) as SearchOf<S>;
}

/** Longer text is cut. */
export function textParam(maxLength: number) {
  return z.pipe(
    z.string().check(z.minLength(1)),
    z.transform((text) => text.slice(0, maxLength)),
  );
}

/** What every list has. */
export const LIST_PARAMS = {
  /** A number when the console itself navigates; page 1 is never written. */
  page: z.pipe(
    z.transform((value) => (/^\d{1,7}$/.test(String(value)) ? Number(value) : undefined)),
    z.int().check(z.minimum(2)),
  ),
  search: textParam(MAX_SEARCH_LENGTH),
  /** Descending if it is absent. */
  order: z.literal("asc"),
};

/** Values are plain text both ways: a search for `123` stays text and needs no quotes. */
export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(search: RawSearch): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined);
  const params = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return params.size === 0 ? "" : `?${params}`;
}
