import type { ObjectKey } from "#contract/files.ts";
import { sql } from "#service/db/sql.ts";
import { drop, plan, planEach } from "#service/jobs/jobs.ts";
import type { Platform } from "#service/platform.ts";
import type { Statement } from "#service/ports/database.ts";
import { planDeletions } from "./store-removals.ts";

/*
 * What happens to the chat of an upload when something happens to the upload. chat/chat-row.ts has
 * its states.
 */

/** Assignments to `chats`: nothing of the chat is read. */
export const UNREAD = sql`read_until_sec = NULL, short_seconds = '[]', tail = ''`;

/** For the batch that adds the upload. `hasEnded`: its broadcast is over. */
export function addChat(uploadId: string, hasEnded: boolean, atMs: number): readonly Statement[] {
  const isThere = sql`EXISTS (SELECT 1 FROM uploads WHERE id = ${uploadId})`;
  return [
    sql`INSERT INTO chats (upload_id, state, has_ended)
      SELECT ${uploadId}, 'reading', ${Number(hasEnded)} WHERE ${isThere}`,
    plan("chat", uploadId, atMs, isThere),
  ];
}

/** Reads a chat from its start, if `condition` on its row holds. A stored chat stays until then. */
export function restartChat(
  uploadId: string,
  atMs: number,
  condition: Statement,
): readonly [Statement, Statement] {
  const which = sql`upload_id = ${uploadId} AND state <> 'reading' AND ${condition}`;
  return [
    plan("chat", uploadId, atMs, sql`EXISTS (SELECT 1 FROM chats WHERE ${which})`),
    sql`UPDATE chats SET state = 'reading', ${UNREAD}, gone_answers = 0 WHERE ${which}`,
  ];
}

/**
 * Ends the reading of a chat whose upload or file is given up, if `condition` holds, and plans the
 * removal of its pieces. The chat object is removed with the other objects of the upload.
 */
export function dropChat(
  uploadId: string | null,
  atMs: number,
  condition: Statement = sql`TRUE`,
): readonly Statement[] {
  return [
    ...removePieces(sql`upload_id = ${uploadId} AND ${condition}`, atMs),
    sql`UPDATE chats SET state = 'none', ${UNREAD},
        stored_until_sec = NULL, stored_short_seconds = '[]', reread = 0
      WHERE upload_id = ${uploadId} AND ${condition}`,
    drop("chat", uploadId ?? "", condition),
  ];
}

/** A runner may still be waiting for the store's answer to its last request. */
const LAST_REQUEST_MS = 10_000;

/**
 * For a runner that lost its job: removes the chat object that it may have stored afterwards,
 * unless the upload has it on record, or another runner is going to write it.
 */
export async function removeStrayChat(
  { clock, database }: Platform,
  uploadId: string,
  key: ObjectKey,
): Promise<void> {
  const isUnwanted = sql`NOT EXISTS (SELECT 1 FROM uploads u JOIN chats c ON c.upload_id = u.id
    WHERE u.id = ${uploadId} AND (u.chat_key = ${key} OR c.state = 'reading'))`;
  await database.run(planDeletions([key], clock.now() + LAST_REQUEST_MS, isUnwanted));
}

/**
 * Deletes the records of the pieces of the chats that `which` selects by `upload_id`, and plans the
 * removal of the pieces.
 */
export function removePieces(which: Statement, atMs: number): readonly Statement[] {
  return [
    planEach("removal", sql`SELECT object_key AS key FROM chat_pieces WHERE ${which}`, atMs),
    sql`DELETE FROM chat_pieces WHERE ${which}`,
  ];
}
