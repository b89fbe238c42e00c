import * as z from "zod/mini";
import { UPLOAD_STATUSES } from "#contract/upload.ts";
import type { Database } from "#service/ports/database.ts";
import { sql } from "./sql.ts";

const counterRow = z.object({ name: z.string(), value: z.number() });

export type Counters = {
  of(name: string): number;
  readonly uploads: number;
  readonly files: number;
};

/** The maintained counts, read in one statement. */
export async function readCounters(database: Database): Promise<Counters> {
  const rows = await database.all(sql`SELECT name, value FROM counters`);
  const values = new Map(
    rows.map((row) => {
      const { name, value } = counterRow.parse(row);
      return [name, value];
    }),
  );
  const of = (name: string) => values.get(name) ?? 0;
  return {
    of,
    uploads: UPLOAD_STATUSES.reduce((sum, status) => sum + of(`uploads.${status}`), 0),
    files: of("files.total"),
  };
}
