import type { Database } from "#service/ports/database.ts";
import type { ListWindow } from "./list-shape.ts";
import { sql } from "./sql.ts";

/** Lists with a version (migration 0008). */
type VersionedList = "uploads" | "files" | "users";

export type ListMemory<Answer> = {
  /** The cached answer to the same question, or the result of `find`. */
  recall(database: Database, question: unknown, find: () => Promise<Answer>): Promise<Answer>;
};

/** A page with its groups is up to 20 kB: at most four megabytes per list. */
const MAX_REMEMBERED = 200;

/** Up to this offset, a page in the list's own order costs next to nothing. */
const NEAR_ROWS = 1_000;

/** True when finding the page costs more than the cache lookup. */
export function isWorthRemembering(term: string | null, { offset, limit }: ListWindow): boolean {
  return limit <= MAX_LIMIT && (term !== null || offset > NEAR_ROWS);
}

/**
 * The largest page size of screens; larger windows are rarely repeated, and their groups are large.
 */
const MAX_LIMIT = 100;

/**
 * Caches list results until the list changes: screens ask the same question every few seconds, and
 * a search has to count its matches each time.
 *
 * The version is read before the search. If a write happens in between, the result is stored under
 * a version that is already outdated.
 */
export function createListMemory<Answer>(list: VersionedList): ListMemory<Answer> {
  type Known = { readonly version: number; readonly answer: Answer };
  const memories = new WeakMap<Database, Map<string, Known>>();

  return {
    async recall(database, question, find) {
      const memory = memories.get(database) ?? new Map<string, Known>();
      memories.set(database, memory);
      const key = JSON.stringify(question);
      const known = memory.get(key);
      const version = await readVersion(database, list);
      // Deleted and inserted again, which keeps the map in order of last use.
      memory.delete(key);
      const isPresent = known?.version === version;
      const answer = isPresent ? known.answer : await find();
      memory.set(key, { version, answer });
      const oldest = memory.keys().next();
      if (memory.size > MAX_REMEMBERED && oldest.done !== true) memory.delete(oldest.value);
      return answer;
    },
  };
}

async function readVersion(database: Database, list: VersionedList): Promise<number> {
  const [row] = await database.all(sql`SELECT version FROM list_versions WHERE list = ${list}`);
  return Number(row?.version);
}
