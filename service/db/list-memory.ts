import type { Database } from "#service/ports/database.ts";
import type { ListWindow } from "./list-shape.ts";
import { sql } from "./sql.ts";

/** The lists that migration 0008 keeps a version of. */
type VersionedList = "uploads" | "files" | "users";

export type ListMemory<Answer> = {
  /** What `find` answered to the same question, or what it answers now. */
  recall(database: Database, question: unknown, find: () => Promise<Answer>): Promise<Answer>;
};

/** A page with the groups beside it is up to 20 kB: four megabytes a list at most. */
const MAX_REMEMBERED = 200;

/** A page in the list's own order is found within so many rows of its beginning at next to no cost. */
const NEAR_ROWS = 1_000;

/** True when finding the page costs more than asking whether it is known. */
export function isWorthRemembering(term: string | null, { offset, limit }: ListWindow): boolean {
  return limit <= MAX_LIMIT && (term !== null || offset > NEAR_ROWS);
}

/** What screens ask for again and again; larger windows are taken once, and their groups are large. */
const MAX_LIMIT = 100;

/**
 * Remembers what was found in a list for as long as nothing changes that could change it: screens
 * ask the same question every few seconds, and a search has to count its matches each time.
 *
 * The version is read before anything is searched, so that what a write in between may have
 * changed is remembered under a version that has passed already.
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
      // Moved to the end, or gone: the map's order is that of last use.
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
