import { objectKeySchema } from "#contract/files.ts";
import { MAX_SHORT_SECONDS } from "#contract/chat-state.ts";
import { jsonText } from "#service/db/json-text.ts";
import { sql } from "#service/db/sql.ts";
import { advanced, type Job, keep } from "#service/jobs/jobs.ts";
import type { Platform } from "#service/platform.ts";
import type { Row, Statement } from "#service/ports/database.ts";
import { SourceError } from "#service/source/source-error.ts";
import { copyPieces, putPiece, recordPiece } from "#service/storage/incomplete-part.ts";
import { CHAT_SEPARATOR } from "./chat-format.ts";
import { chatPieceKey, type ChatRow } from "./chat-row.ts";
import * as z from "zod/mini";

/**
 * The comments that were read so far. A page is added to `chats.tail` in the write that moves
 * `read_until_sec` past it, so that a crash repeats at most the page that was being read. Pages that
 * make this many characters with the tail become a piece: an object in the store. So the tail has at
 * most 1.2 MB, of the 2 MB that D1 allows for a row.
 */
const PIECE_CHARACTERS = 400_000;

/** Comments whose ids are known again: more than a page and what it may repeat. */
const KNOWN_COMMENTS = 1_000;

/** Four gigabytes, more than any replay has. */
const MAX_PIECES = 10_000;

export type ChatPieces = {
  /** The ids of the last comments: a page may begin with them. */
  readonly knownIds: readonly string[];
  /** The time of the last comment that is kept; null if there is none. */
  untilSec(): number | null;
  /** Seconds whose comments are not all there; the first {@link MAX_SHORT_SECONDS} are kept. */
  shortSeconds(): readonly number[];
  /** The lines after the last piece. */
  tail(): string;
  /**
   * Keeps a page of comments, of which the last is at `lastSec`, and the seconds before it that are
   * short.
   * @throws {SourceError} when it never ends, {JobLost}, and what putPiece throws
   */
  add(lines: readonly string[], lastSec: number, shortSeconds: readonly number[]): Promise<void>;
};

/** @throws what {@link readPiece} throws */
export async function openChatPieces(
  platform: Platform,
  job: Job,
  chat: ChatRow,
): Promise<ChatPieces> {
  const { upload_id: uploadId } = chat;
  let { pieces: next, read_until_sec: untilSec, short_seconds: short, tail } = chat;

  async function record(atSec: number, changes: Statement, ...before: Statement[]): Promise<void> {
    await keep(platform, job, [
      ...before,
      sql`UPDATE chats SET read_until_sec = ${atSec}, gone_answers = 0,
          short_seconds = ${JSON.stringify(short)}, ${changes}
        WHERE upload_id = ${uploadId}`,
      advanced(job),
    ]);
  }

  async function storePiece(text: string, atSec: number): Promise<void> {
    const bytes = new TextEncoder().encode(text);
    const key = await putPiece(platform, bytes, (sha256) => chatPieceKey(job, next, sha256));
    const recorded = recordPiece(key, [
      sql`INSERT INTO chat_pieces (upload_id, number, object_key, size_bytes)
        VALUES (${uploadId}, ${next}, ${key}, ${bytes.byteLength})`,
    ]);
    await record(atSec, sql`pieces = ${next + 1}, tail = ''`, ...recorded);
  }

  return {
    knownIds: await readLastIds(platform, chat),
    untilSec: () => untilSec,
    shortSeconds: () => short,
    tail: () => tail,
    async add(lines, lastSec, shortSeconds) {
      if (next >= MAX_PIECES)
        throw new SourceError("source_corrupt", "The chat replay is larger than 4 GB.");
      short = [...new Set([...short, ...shortSeconds])].slice(0, MAX_SHORT_SECONDS);
      const atSec = Math.max(untilSec ?? 0, lastSec);
      const separator = tail === "" || lines.length === 0 ? "" : CHAT_SEPARATOR;
      const added = separator + lines.join(CHAT_SEPARATOR);
      const text = tail + added;
      if (text.length < PIECE_CHARACTERS) {
        await record(atSec, sql`tail = tail || ${added}`);
        tail = text;
      } else {
        await storePiece(text, atSec);
        [next, tail] = [next + 1, ""];
      }
      untilSec = atSec;
    },
  };
}

async function readLastIds(platform: Platform, chat: ChatRow): Promise<readonly string[]> {
  const ids: string[] = [];
  /** Whether more are needed: the next slice begins at the second of the last comment. */
  function add(text: string): boolean {
    const comments = text.split(CHAT_SEPARATOR).map((line) => storedLine.parse(line));
    ids.unshift(...comments.map(({ _id }) => _id));
    const oldestSec = comments[0]?.content_offset_seconds ?? 0;
    return ids.length < KNOWN_COMMENTS || oldestSec >= Math.floor(chat.read_until_sec ?? 0);
  }
  if (chat.tail !== "" && !add(chat.tail)) return ids;
  const pieces = await platform.database.all(sql`
    SELECT object_key, size_bytes FROM chat_pieces WHERE upload_id = ${chat.upload_id}
    ORDER BY number DESC LIMIT ${KNOWN_COMMENTS}`);
  for (const piece of pieces)
    if (!add(new TextDecoder().decode(await readPiece(platform, piece)))) break;
  return ids;
}

const storedLine = jsonText(z.object({ _id: z.string(), content_offset_seconds: z.number() }));

const pieceRow = z.object({ object_key: objectKeySchema, size_bytes: z.number() });

/** @throws {StartOver} when the store lost it: the chat has to be read from its start */
export async function readPiece(platform: Platform, row: Row): Promise<Uint8Array> {
  const piece = pieceRow.parse(row);
  const bytes = new Uint8Array(piece.size_bytes);
  await copyPieces(platform, [piece], bytes);
  return bytes;
}
