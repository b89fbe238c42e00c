import { readDocument, withTables, writeDocument } from "./scale-document.ts";
import { renderTables } from "./scale-tables.ts";

/** Prints the tables of docs/scale.md; with `--write` puts them in. */
export async function run(args: readonly string[]): Promise<void> {
  const tables = renderTables();
  for (const [name, table] of tables) console.log(`\n${name}\n\n${table}`);
  if (args.includes("--write")) writeDocument(withTables(readDocument(), tables));
}
