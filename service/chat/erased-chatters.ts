import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";

/** The ids of people whose names chat replays leave out (chat-erasure.ts). */
export async function readErasedChatters(database: Database): Promise<ReadonlySet<string>> {
  const rows = await database.all(sql`SELECT user_id FROM erased_chatters`);
  return new Set(rows.map((row) => String(row.user_id)));
}
