import { objectKeySchema, type ObjectKey } from "#contract/files.ts";
import { jsonText } from "#service/db/json-text.ts";
import { sql } from "#service/db/sql.ts";
import type { Platform } from "#service/platform.ts";
import type { Statement } from "#service/ports/database.ts";
import { SourceError } from "#service/source/source-error.ts";
import { planRemoval } from "#service/storage/store-removals.ts";
import { readStored } from "#service/storage/read-stored.ts";
import { batchUnderChatLease, renewed } from "./chat-lease.ts";
import { CHAT_SEPARATOR } from "./chat-format.ts";
import { chatPieceKey, type ChatRow } from "./chat-row.ts";
import * as z from "zod/mini";

/**
 * The comments that were read so far, as objects of about this size. A crash repeats at most one of
 * them, which is some ten pages.
 */
const PIECE_CHARACTERS = 400_000;

/** Slow pages are kept after this time; it also renews the lease in time. */
const KEEP_AFTER_MS = 30_000;

/** Comments whose ids are known again: more than a page and what it may repeat. */
const KNOWN_COMMENTS = 1_000;

/** Four gigabytes, more than any replay has. */
const MAX_PIECES = 10_000;

/** What was read is gone from the store: the chat has to be read from its start. */
export class ChatPieceLost extends Error {
  override readonly name = "ChatPieceLost";
}

export type ChatPieces = {
  /** The ids of the last comments: a page may begin with them. */
  readonly knownIds: readonly string[];
  /** The time of the last comment that is stored or added; null if there is none. */
  untilSec(): number | null;
  /**
   * Stores what was added once it is enough for a piece.
   * @throws {SourceError} when it never ends, {LeaseLost}, {StoreError}
   */
  add(lines: readonly string[], untilSec: number): Promise<void>;
  /** Stores what was added. Resolves with whether there was anything. */
  flush(): Promise<boolean>;
};

/** @throws {ChatPieceLost}, {StoreError} */
export async function openChatPieces(
  platform: Platform,
  chat: ChatRow,
  onStored: () => Promise<void>,
): Promise<ChatPieces> {
  const { clock, objects, database } = platform;
  const { upload_id: uploadId } = chat;
  let next = chat.pieces;
  let untilSec = chat.read_until_sec;
  let lines: string[] = [];
  let characters = 0;
  let keptMs = clock.monotonic();
  const { knownIds, last } = await readLast();
  /** A small piece of an earlier slice, which the next piece replaces. */
  let replaced = last !== null && last.text.length < PIECE_CHARACTERS ? last : null;

  async function readLast() {
    const found = await database.all(sql`
      SELECT number, object_key FROM chat_pieces WHERE upload_id = ${uploadId}
      ORDER BY number DESC LIMIT ${KNOWN_COMMENTS}`);
    let newest: { readonly number: number; readonly key: ObjectKey; readonly text: string } | null =
      null;
    const ids: string[] = [];
    for (const { number, object_key: key } of found.map((row) => pieceRow.parse(row))) {
      const text = await readPiece(platform, key);
      newest ??= { number, key, text };
      const comments = text.split(CHAT_SEPARATOR).map((line) => storedLine.parse(line));
      ids.unshift(...comments.map(({ _id }) => _id));
      // The next slice begins at the second of the last comment.
      const oldestSec = comments[0]?.content_offset_seconds ?? 0;
      const isBefore = oldestSec < Math.floor(chat.read_until_sec ?? 0);
      if (isBefore && ids.length >= KNOWN_COMMENTS) break;
    }
    return { knownIds: ids, last: newest };
  }

  async function flush(): Promise<boolean> {
    keptMs = clock.monotonic();
    if (lines.length === 0) return false;
    const text = [...(replaced === null ? [] : [replaced.text]), ...lines].join(CHAT_SEPARATOR);
    const bytes = new TextEncoder().encode(text);
    const key = chatPieceKey(uploadId, next, chat.epoch);
    await objects.put(key, bytes, { contentType: "application/json", metadata: { uploadId } });
    await batchUnderChatLease(platform, chat, [
      sql`INSERT INTO chat_pieces (upload_id, number, object_key, size_bytes)
        VALUES (${uploadId}, ${next}, ${key}, ${bytes.byteLength})`,
      ...(replaced === null ? [] : remove(replaced.number, replaced.key)),
      sql`UPDATE chats SET pieces = ${next + 1}, read_until_sec = ${untilSec}, attempts = 0,
          gone_answers = 0, ${renewed(clock.now())}
        WHERE upload_id = ${uploadId}`,
      sql`UPDATE uploads SET version = version + 1 WHERE id = ${uploadId}`,
    ]);
    next += 1;
    [replaced, lines, characters] = [null, [], 0];
    await onStored();
    return true;
  }

  function remove(number: number, key: ObjectKey): readonly Statement[] {
    return [
      planRemoval({ key, multipartId: null }, clock.now()),
      sql`DELETE FROM chat_pieces WHERE upload_id = ${uploadId} AND number = ${number}`,
    ];
  }

  return {
    knownIds,
    untilSec: () => untilSec,
    async add(added, atSec) {
      lines.push(...added);
      characters += added.reduce((sum, line) => sum + line.length, 0);
      untilSec = Math.max(untilSec ?? 0, atSec);
      if (next >= MAX_PIECES)
        throw new SourceError("source_corrupt", "The chat replay is larger than 4 GB.");
      if (characters >= PIECE_CHARACTERS || clock.monotonic() - keptMs >= KEEP_AFTER_MS)
        await flush();
    },
    flush,
  };
}

const pieceRow = z.object({ number: z.number(), object_key: objectKeySchema });
const storedLine = jsonText(z.object({ _id: z.string(), content_offset_seconds: z.number() }));

/** @throws {ChatPieceLost}, {StoreError} */
async function readPiece({ objects }: Platform, key: ObjectKey): Promise<string> {
  const bytes = await readStored(objects, key);
  if (bytes === null) throw new ChatPieceLost(`The store has lost ${key}`);
  return new TextDecoder().decode(bytes);
}
