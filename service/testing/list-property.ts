import * as fc from "fast-check";
import { expect, test } from "vitest";
import { host } from "#host-under-test";
import type { Database, SqlValue, Statement } from "#service/ports/database.ts";
import { matchesSearch, searchFor } from "./tricky-text.ts";

const ORDERS = ["asc", "desc"] as const;

type Asked<Sort> = Readonly<Record<"page" | "limit", number>> & {
  readonly search: string | undefined;
  readonly sortBy: Sort;
  readonly sortOrder: (typeof ORDERS)[number];
};

type Row<Draft> = Draft & { readonly seq: number };

export type ListUnderTest<Draft, Filter, Sort extends string> = {
  readonly table: string;
  readonly before?: readonly Statement[];
  readonly after?: readonly Statement[];
  readonly fields: { readonly [Name in keyof Draft]: fc.Arbitrary<Draft[Name]> };
  /** What its rows live to see. */
  readonly fate: "kept" | "changed" | "deleted";
  columns(row: Row<Draft>): Readonly<Record<string, SqlValue>>;
  idOf(seq: number): string;
  /** Where a search looks. */
  texts(row: Row<Draft>): readonly (string | null)[];
  /** A mark that people type before a text, which the search leaves out. */
  readonly typedMark?: string;
  readonly sorts: Readonly<Record<Sort, (left: Draft, right: Draft) => number>>;
  /** If not both. */
  readonly sortOrder?: "desc";
  draw(gen: fc.GeneratorValue): Filter;
  passes(row: Draft, filter: Filter): boolean;
  page(database: Database, query: Asked<Sort> & Filter): Promise<Answer>;
  /** What it says besides, of what matches and of all rows. */
  more?(found: readonly Draft[], rows: readonly Draft[], query: Asked<Sort>): unknown;
};

type Answer = {
  readonly items: readonly { readonly id: string }[];
  readonly total: number;
  readonly hasPrev: boolean;
  readonly hasNext: boolean;
  readonly more?: unknown;
};

/** Rows are added, changed and deleted; then each of several pages is compared with a naive one. */
export function testList<Draft extends object, Filter, Sort extends string>(
  what: string,
  allRuns: number,
  list: ListUnderTest<Draft, Filter, Sort>,
): void {
  const draft = fc.record<Draft>(list.fields);
  const lives = fc.array(fc.array(draft, { minLength: 1, maxLength: 3 }), {
    minLength: 1,
    maxLength: 25,
  });

  async function comparePages(drafts: readonly Draft[][], gen: fc.GeneratorValue) {
    const database = await host.openDatabase();
    const played = drafts.map((life, index) => play(list, life, index + 1, gen));
    const statements = played.flatMap((one) => one.statements);
    await database.batch([...(list.before ?? []), ...statements, ...(list.after ?? [])]);
    const rows = played.flatMap(({ row }) => row ?? []);
    const mark = list.typedMark ?? "";
    const texts = ["-", ...rows.flatMap((row) => list.texts(row))].flatMap((text) =>
      text === null ? [] : [text, mark + text],
    );
    for (let count = 0; count < 8; count += 1) {
      const query = { ...drawPage(gen, list, texts), ...list.draw(gen) };
      const { page, limit, sortBy, sortOrder } = query;
      const typed = query.search?.trim() ?? "";
      const isMarked = mark !== "" && typed.startsWith(mark) && typed !== mark;
      const term = isMarked ? typed.slice(mark.length) : typed;
      const found = rows
        .filter((row) => list.passes(row, query) && matchesSearch(list.texts(row), term))
        .sort((left, right) => list.sorts[sortBy](left, right) || left.seq - right.seq);
      if (sortOrder === "desc") found.reverse();
      const end = page * limit;
      const { items, total, hasPrev, hasNext, more } = await list.page(database, query);
      const ids = items.map(({ id }) => id);
      expect({ ids, total, hasPrev, hasNext, more }).toEqual({
        ids: found.slice(end - limit, end).map(({ seq }) => list.idOf(seq)),
        total: found.length,
        hasPrev: page > 1,
        hasNext: end < found.length,
        more: list.more?.(found, rows, query),
      });
    }
    await database.close();
  }

  test(`a page of ${what} is what a naive filter over all rows would show`, async () => {
    await fc.assert(fc.asyncProperty(lives, fc.gen(), comparePages), {
      numRuns: host.runsOf(allRuns),
    });
  });
}

/** Writes a row, and then some of the columns of its later drafts: triggers name columns. */
function play<Draft extends object>(
  list: Pick<ListUnderTest<Draft, never, never>, "table" | "fate" | "columns">,
  [first, ...changes]: readonly Draft[],
  seq: number,
  gen: fc.GeneratorValue,
): { readonly row: Row<Draft> | null; readonly statements: readonly Statement[] } {
  if (first === undefined) return { row: null, statements: [] };
  const { table, fate } = list;
  let row: Row<Draft> = { ...first, seq };
  let columns = Object.entries({ seq, ...list.columns(row) });
  const names = columns.map(([name]) => name).join(", ");
  const marks = columns.map(() => "?").join(", ");
  const values = columns.map(([, value]) => value);
  const statements = [{ sql: `INSERT INTO ${table} (${names}) VALUES (${marks})`, values }];
  for (const change of fate === "kept" ? [] : changes) {
    const changed = Object.entries(change).filter(() => gen(fc.boolean));
    row = { ...row, ...Object.fromEntries(changed) };
    const next = Object.entries({ seq, ...list.columns(row) });
    const other = next.filter(([, value], index) => value !== columns[index]?.[1]);
    columns = next;
    if (other.length > 0)
      statements.push({
        sql: `UPDATE ${table} SET ${other.map(([name]) => `${name} = ?`).join(", ")} WHERE seq = ?`,
        values: [...other.map(([, value]) => value), seq],
      });
  }
  if (fate !== "deleted" || gen(fc.nat, 9) < 9) return { row, statements };
  statements.push({ sql: `DELETE FROM ${table} WHERE seq = ?`, values: [seq] });
  return { row: null, statements };
}

function drawPage<Sort extends string>(
  gen: fc.GeneratorValue,
  { sorts, sortOrder }: Pick<ListUnderTest<never, never, Sort>, "sorts" | "sortOrder">,
  texts: readonly string[],
): Asked<Sort> {
  // The keys of a record without others.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const names = Object.keys(sorts) as Sort[];
  return {
    page: gen(fc.integer, { min: 1, max: 4 }),
    limit: gen(fc.integer, { min: 1, max: 9 }),
    search: gen(searchFor, texts),
    sortBy: gen(fc.constantFrom<Sort[]>, ...names),
    sortOrder: sortOrder ?? gen(fc.constantFrom<(typeof ORDERS)[number][]>, ...ORDERS),
  };
}
