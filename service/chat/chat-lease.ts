import type { ObjectKey } from "#contract/files.ts";
import { uploadIdSchema, type UploadId } from "#contract/ids.ts";
import { batchIf } from "#service/db/batch-if.ts";
import { isPast } from "#service/db/due-time.ts";
import { join, sql } from "#service/db/sql.ts";
import type { Platform } from "#service/platform.ts";
import type { RunResult, Statement } from "#service/ports/database.ts";
import { isFree, LeaseLost } from "#service/storage/lease.ts";
import { mayCopyChat } from "#service/storage/consent-pause.ts";
import { removeUnrecordedPiece } from "#service/storage/chat-record.ts";
import { planDeletions } from "#service/storage/store-removals.ts";
import { chatRow, type ChatRow } from "./chat-row.ts";

/**
 * Each chat has at most one runner, as each upload has (storage/lease.ts): every write of a runner
 * requires the epoch of its lease.
 */

/**
 * Longer than a page takes at a slow source, because each one renews the lease. A crashed host's
 * chats continue after this time.
 */
const CHAT_LEASE_MS = 120_000;

/** Renewals while a chat is written to the store. */
export const RENEW_EVERY_MS = 20_000;

/** Condition on `chats` for one that a sweep may take. */
function isDueChat(platform: Platform, owner: string): Statement {
  return sql`state = 'reading' AND ${isPast(sql`next_attempt_at`, platform.clock.now())}
    AND ${isFree(platform, owner)} AND ${mayCopyChat}`;
}

/** Those that have waited longest. */
export async function dueChats(
  platform: Platform,
  owner: string,
  limit: number,
): Promise<readonly UploadId[]> {
  const rows = await platform.database.all(sql`
    SELECT upload_id FROM chats WHERE ${isDueChat(platform, owner)}
    ORDER BY next_attempt_at LIMIT ${limit}`);
  return rows.map((row) => uploadIdSchema.parse(row.upload_id));
}

/** Returns null if another runner has taken it, or it is not due any more. */
export async function takeChat(
  platform: Platform,
  owner: string,
  uploadId: UploadId,
): Promise<ChatRow | null> {
  const nowMs = platform.clock.now();
  const isTaken = sql`upload_id = ${uploadId} AND ${isDueChat(platform, owner)}`;
  const [, taken] = await platform.database.batch([
    // What a crashed runner may have stored without a record.
    removeUnrecordedPiece(isTaken, nowMs),
    sql`UPDATE chats SET epoch = epoch + 1, lease_owner = ${owner},
        lease_until = ${nowMs + CHAT_LEASE_MS}
      WHERE ${isTaken} RETURNING *`,
  ]);
  const [row] = taken?.rows ?? [];
  return row === undefined ? null : chatRow.parse(row);
}

/**
 * The only way in which a runner writes: all statements take effect while the lease holds, or none.
 * @throws {LeaseLost}
 */
export async function batchUnderChatLease(
  { database }: Platform,
  { upload_id: uploadId, epoch }: ChatRow,
  statements: readonly Statement[],
): Promise<readonly RunResult[]> {
  const holds = sql`EXISTS (SELECT 1 FROM chats
    WHERE upload_id = ${uploadId} AND epoch = ${epoch} AND state = 'reading')`;
  const results = await batchIf(database, holds, statements);
  if (results === null) throw new LeaseLost("Another runner holds this chat");
  return results;
}

/** Assignments for a page that was kept: the runner is alive. */
export function renewed(nowMs: number): Statement {
  return sql`lease_until = ${nowMs + CHAT_LEASE_MS}`;
}

/** Ends a slice: releases the lease, with further assignments to the row. */
export function endChatLease({ upload_id: uploadId }: ChatRow, ...changes: Statement[]): Statement {
  const released = sql`lease_owner = NULL, lease_until = NULL`;
  return sql`UPDATE chats SET ${join([released, ...changes], ", ")} WHERE upload_id = ${uploadId}`;
}

/** A runner may still be waiting for the store's answer to its last request. */
const LAST_REQUEST_MS = 10_000;

/**
 * For a runner that lost its lease: removes the chat object that it may have stored afterwards,
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
