import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const PATH = fileURLToPath(new URL("../../docs/scale.md", import.meta.url));

export function readDocument(): string {
  return readFileSync(PATH, "utf8");
}

export function writeDocument(text: string): void {
  writeFileSync(PATH, text);
}

/**
 * The document with each table between its marks put in anew.
 * @throws {Error} for a table without its marks
 */
export function withTables(text: string, tables: ReadonlyMap<string, string>): string {
  let filled = text;
  for (const [name, table] of tables) {
    const marks = new RegExp(`(<!-- table: ${name} -->\n)(?:[^]*?\n)??(<!-- end -->)`);
    if (!marks.test(filled)) throw new Error(`docs/scale.md has no place for the table ${name}`);
    filled = filled.replace(
      marks,
      (_, begin: string, end: string) => `${begin}\n${table}\n\n${end}`,
    );
  }
  return filled;
}
