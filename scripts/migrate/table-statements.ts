import type { Statement } from "#service/ports/database.ts";
import type { D1Query } from "./d1-api.ts";
import type { Table } from "./table-list.ts";

/** Keys greater than `after`, up to and including `until`. Null: from the first, to the last. */
export type KeyRange = { readonly after: string | null; readonly until: string | null };

/** Rows and keys are passed as JSON text, which preserves numbers. */
export type TableStatements = {
  /** Returns at most `limit` rows of the source after the key. */
  page(after: string | null, limit: number): Statement;
  read(range: KeyRange): D1Query;
  /** Deletes the rows of the range that are not in `rows`. */
  removeOthers(range: KeyRange, rows: string): D1Query;
  /** Inserts rows, updates those that differ and leaves equal ones unchanged. */
  write(rows: string): D1Query;
};

export function statementsOf({ name, columns, key }: Table): TableStatements {
  const keys = tuple(key);
  const valuesOfKey = key.map((column) => `value ->> ${columns.indexOf(column)}`);
  const others = columns.filter((column) => !key.includes(column));
  const change =
    others.length === 0
      ? "NOTHING"
      : `UPDATE SET ${others.map((column) => `${column} = excluded.${column}`).join(", ")}
         WHERE ${tuple(others.map((column) => `${name}.${column}`))}
           IS NOT ${tuple(others.map((column) => `excluded.${column}`))}`;

  /** The key's values, extracted from parameter `number`, a JSON list. */
  const bound = (number: number) => tuple(key.map((_, at) => `?${number} ->> ${at}`));

  function within({ after, until }: KeyRange, first: number) {
    const params = [after, until].filter((text) => text !== null);
    const conditions = [
      ...(after === null ? [] : [`${keys} > ${bound(first)}`]),
      ...(until === null ? [] : [`${keys} <= ${bound(first + params.length - 1)}`]),
    ];
    return { sql: ["TRUE", ...conditions].join(" AND "), params };
  }

  return {
    page(after, limit) {
      const range = within({ after, until: null }, 1);
      return {
        sql: `SELECT ${columns.join(", ")} FROM ${name} WHERE ${range.sql}
          ORDER BY ${key.join(", ")} LIMIT ${limit}`,
        values: range.params,
      };
    },
    read(part) {
      const range = within(part, 1);
      return {
        sql: `SELECT ${columns.join(", ")} FROM ${name} WHERE ${range.sql} ORDER BY ${key.join(", ")}`,
        params: range.params,
      };
    },
    removeOthers(part, rows) {
      const range = within(part, 2);
      return {
        sql: `DELETE FROM ${name} WHERE ${range.sql}
          AND ${keys} NOT IN (SELECT ${valuesOfKey.join(", ")} FROM json_each(?1))`,
        params: [rows, ...range.params],
      };
    },
    write: (rows) => ({
      sql: `INSERT INTO ${name} (${columns.join(", ")})
        SELECT ${columns.map((_, at) => `value ->> ${at}`).join(", ")} FROM json_each(?1) WHERE TRUE
        ON CONFLICT (${key.join(", ")}) DO ${change}`,
      params: [rows],
    }),
  };
}

function tuple(parts: readonly string[]): string {
  return `(${parts.join(", ")})`;
}
