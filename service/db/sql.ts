import type { SqlValue, Statement } from "#service/ports/database.ts";

/** A piece of SQL with its bound values, for use inside another statement. */
type Fragment = Statement;

/** D1 binds at most 100 values per statement (developers.cloudflare.com/d1/platform/limits). */
const MAX_BOUND_VALUES = 100;

/**
 * Builds a statement. Interpolated values are bound, never spliced into the text; only another
 * `sql` fragment contributes text. That rules out injection.
 */
export function sql(
  text: TemplateStringsArray,
  ...parts: readonly (SqlValue | Fragment)[]
): Statement {
  let joined = text[0] ?? "";
  const values: SqlValue[] = [];
  parts.forEach((part, index) => {
    if (isFragment(part)) {
      joined += part.sql;
      values.push(...part.values);
    } else {
      joined += "?";
      values.push(part);
    }
    joined += text[index + 1] ?? "";
  });
  if (values.length > MAX_BOUND_VALUES) {
    throw new Error(`A statement binds ${values.length} values; D1 allows ${MAX_BOUND_VALUES}`);
  }
  return { sql: joined, values };
}

/** Conditions joined by AND; `TRUE` when there are none. */
export function all(conditions: readonly Fragment[]): Fragment {
  return conditions.length === 0 ? sql`TRUE` : join(conditions, " AND ");
}

export function join(fragments: readonly Fragment[], separator: string): Fragment {
  return {
    sql: fragments.map((fragment) => fragment.sql).join(separator),
    values: fragments.flatMap((fragment) => [...fragment.values]),
  };
}

function isFragment(part: SqlValue | Fragment): part is Fragment {
  return typeof part === "object" && part !== null && "sql" in part;
}
