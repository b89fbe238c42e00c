import { sql } from "#service/db/sql.ts";
import { planEach } from "#service/jobs/jobs.ts";
import type { Statement } from "#service/ports/database.ts";
import { CHAT_PIECE_PREFIX } from "./object-keys.ts";

/*
 * What happens to the chat of an upload when something happens to the upload. chat/chat-row.ts has
 * its states.
 */

/** Assignments to `chats`: nothing of the chat is read. */
export const UNREAD = sql`read_until_sec = NULL, short_seconds = '[]', tail = ''`;

/** For the batch that adds the upload. `hasEnded`: its broadcast is over. */
export function addChat(uploadId: string, hasEnded: boolean): Statement {
  return sql`INSERT INTO chats (upload_id, state, has_ended)
    SELECT id, 'reading', ${Number(hasEnded)} FROM uploads WHERE id = ${uploadId}`;
}

/** Reads a chat from its start, if `condition` on its row holds. A stored chat stays until then. */
export function restartChat(uploadId: string, atMs: number, condition: Statement): Statement {
  return sql`UPDATE chats SET state = 'reading', epoch = epoch + 1, ${UNREAD},
      next_attempt_at = ${atMs}, attempts = 0, gone_answers = 0
    WHERE upload_id = ${uploadId} AND state <> 'reading' AND ${condition}`;
}

/** Reads chats again whose source did not hand out all comments, when that is due. */
export function restartShortChats(atMs: number): Statement {
  return sql`UPDATE chats SET state = 'reading', epoch = epoch + 1, attempts = 0, gone_answers = 0
    WHERE state IN ('partial', 'gone', 'none') AND reread > 0 AND next_attempt_at <= ${atMs}`;
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
    sql`UPDATE chats SET state = 'none', epoch = epoch + 1, ${UNREAD},
        stored_until_sec = NULL, stored_short_seconds = '[]', reread = 0, lease_owner = NULL, lease_until = NULL
      WHERE upload_id = ${uploadId} AND ${condition}`,
  ];
}

/** A runner may still be waiting for the store's answer to its last piece. */
const LAST_REQUEST_MS = 10_000;

/**
 * Deletes the records of the pieces of the chats that `which` selects by `upload_id`, and plans the
 * removal of the pieces, also of one that a runner is storing.
 */
export function removePieces(which: Statement, atMs: number): readonly Statement[] {
  return [
    planEach("removal", sql`SELECT object_key AS key FROM chat_pieces WHERE ${which}`, atMs),
    sql`DELETE FROM chat_pieces WHERE ${which}`,
    removeUnrecordedPiece(which, atMs),
  ];
}

/** Plans the removal of the piece that the holder of the lease may have stored without a record. */
export function removeUnrecordedPiece(which: Statement, atMs: number): Statement {
  const unrecorded = sql`SELECT ${CHAT_PIECE_PREFIX} || upload_id || '/' || pieces || '-' || epoch AS key
    FROM chats WHERE lease_until IS NOT NULL AND ${which}`;
  return planEach("removal", unrecorded, atMs + LAST_REQUEST_MS);
}
