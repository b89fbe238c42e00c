import { chatTime, shortTimes } from "#contract/chat.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { NotificationEvent } from "#service/changes/notification-event.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import { StoreError } from "#service/ports/object-store.ts";
import { SourceError } from "#service/source/source-error.ts";
import type { Source, Sources } from "#service/source/source.ts";
import { LeaseLost } from "#service/storage/lease.ts";
import { publishUpload } from "#service/storage/upload-events.ts";
import { chatUpload, chatKeyOf, joinChat, type ChatUpload } from "./chat-file.ts";
import { chatLine } from "./chat-format.ts";
import { batchUnderChatLease, endChatLease, removeStrayChat } from "./chat-lease.ts";
import { ChatPieceLost, openChatPieces, type ChatPieces } from "./chat-pieces.ts";
import { removePieces, removeUnrecordedPiece, UNREAD } from "#service/storage/chat-record.ts";
import { type ChatRow } from "./chat-row.ts";

/** So short that other chats do not wait for a long one, and that a Worker allows it. */
const SLICE_MS = 30_000;

/** A growing chat is read at least every two minutes: this, a sweep and the slices before it. */
const GROWTH_POLL_MS = 60_000;

/** Delays after faults, doubled each time. A source that is down may be so for days. */
const FIRST_RETRY_MS = 60_000;
const LAST_RETRY_MS = 6 * 3_600_000;

/** Waits before a chat with short seconds is read again, each four times as long as the last. */
const FIRST_REREAD_MS = 24 * 3_600_000;
const MAX_REREADS = 3;

/** Twitch reports videos as missing that are there: so many answers in a row, over 7 minutes. */
const GONE_ANSWERS = 4;

type ChatSlice = {
  readonly context: ServiceContext;
  readonly chat: ChatRow;
  readonly upload: ChatUpload;
  readonly source: Source;
  readonly signal: AbortSignal;
};

/**
 * Reads a chat under its lease until its end, a fault, the end of the slice, or until `signal`
 * aborts, keeps what it read, and records the outcome. Never rejects for a fault of the source or
 * the store.
 */
export async function readChatSlice(
  context: ServiceContext,
  sources: Sources,
  chat: ChatRow,
  signal: AbortSignal,
): Promise<void> {
  const { database } = context.platform;
  const [found] = await database.all(sql`
    SELECT u.kind, u.status, u.vod_id, u.source_url, u.filename, u.title, u.duration_sec,
      u.recorded_at, u.created_at, u.owner_id, o.login, o.display_name
    FROM uploads u JOIN users o ON o.id = u.owner_id WHERE u.id = ${chat.upload_id}`);
  if (found === undefined) return;
  const upload = chatUpload.parse(found);
  const source = sources[upload.kind];
  if (source?.readChat === undefined) throw new Error(`No chat at sources of ${upload.kind}`);
  const slice = { context, chat, upload, source, signal };
  try {
    await readOrWait(slice);
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
    await removeStrayChat(context.platform, chat.upload_id, chatKeyOf(chat, upload));
  }
  await publishUpload(context.platform, chat.upload_id);
}

async function readOrWait(slice: ChatSlice): Promise<void> {
  const { context, chat } = slice;
  const { clock } = context.platform;
  try {
    const pieces = await openChatPieces(context.platform, chat);
    switch (await readPages(slice, pieces)) {
      case "interrupted":
        return await endSlice(slice, sql`next_attempt_at = ${clock.now()}`);
      case "growing":
        return await endSlice(
          slice,
          sql`attempts = 0, gone_answers = 0, next_attempt_at = ${clock.now() + GROWTH_POLL_MS}`,
        );
      case "ended":
        return await close(slice, pieces, pieces.shortSeconds().length > 0 ? "short" : "complete");
      case "given_up":
        return await close(slice, pieces, pieces.untilSec() === null ? "gone" : "partial");
    }
  } catch (error) {
    if (error instanceof LeaseLost) throw error;
    if (error instanceof ChatPieceLost) await startOver(slice, error);
    else await wait(slice, error);
  }
}

/**
 * - `interrupted`: there may be more
 * - `growing`: there will be more
 * - `ended`: that was the last page
 * - `given_up`: the source no longer has the rest
 */
type Reading = "interrupted" | "growing" | "ended" | "given_up";

async function readPages(slice: ChatSlice, pieces: ChatPieces): Promise<Reading> {
  const { context, chat, upload, source, signal } = slice;
  const { clock } = context.platform;
  const isFinal = chat.has_ended === 1 || !["pending", "processing"].includes(upload.status);
  const endMs = clock.monotonic() + SLICE_MS;
  const reference = upload.source_url ?? upload.vod_id;
  const from = { sec: pieces.untilSec() ?? 0, knownIds: pieces.knownIds };
  const about = { vodId: upload.vod_id, ownerId: upload.owner_id };
  let reading: Reading = isFinal ? "ended" : "growing";
  try {
    for await (const page of source.readChat?.(reference, from, signal) ?? []) {
      const { comments, shortSeconds } = page;
      const lines = comments.map((comment) => chatLine(comment, about));
      await pieces.add(lines, comments.at(-1)?.offsetSec ?? 0, shortSeconds);
      if (clock.monotonic() < endMs) continue;
      reading = "interrupted";
      break;
    }
  } catch (error) {
    if (signal.aborted) reading = "interrupted";
    else if (error instanceof SourceError && isFinalAnswer(chat, pieces, error))
      reading = "given_up";
    else throw error;
  }
  return reading;
}

function isFinalAnswer(chat: ChatRow, pieces: ChatPieces, { failureClass }: SourceError): boolean {
  if (failureClass === "source_corrupt") return true;
  const hasRead = pieces.untilSec() !== chat.read_until_sec;
  return failureClass === "gone_at_source" && !hasRead && chat.gone_answers + 1 >= GONE_ANSWERS;
}

/**
 * Ends the slice; the next one is due at a time among `changes`. The upload shows how far the chat is
 * read.
 * @throws {LeaseLost}
 */
async function endSlice(
  { context, chat }: ChatSlice,
  changes: Statement,
  before: readonly Statement[] = [],
): Promise<void> {
  await batchUnderChatLease(context.platform, chat, [
    ...before,
    endChatLease(chat, changes),
    sql`UPDATE uploads SET version = version + 1 WHERE id = ${chat.upload_id}`,
  ]);
}

/** Continues after a delay, longer with each fault in a row; at once after an interruption. */
async function wait(slice: ChatSlice, error: unknown): Promise<void> {
  const { context, chat } = slice;
  const nowMs = context.platform.clock.now();
  const before = [removeUnrecordedPiece(sql`upload_id = ${chat.upload_id}`, nowMs)];
  if (slice.signal.aborted) return await endSlice(slice, sql`next_attempt_at = ${nowMs}`, before);
  const isFault = error instanceof SourceError || error instanceof StoreError;
  const message = "The chat replay could not be read further; it will be tried again";
  context.log[isFault ? "info" : "error"](message, { uploadId: chat.upload_id, error });
  const isGone = error instanceof SourceError && error.failureClass === "gone_at_source";
  const retryAfterMs = error instanceof SourceError ? (error.retryAfterMs ?? 0) : 0;
  await endSlice(
    slice,
    sql`attempts = attempts + 1, gone_answers = ${isGone ? sql`gone_answers + 1` : sql`0`},
      next_attempt_at = ${nowMs} + max(${retryAfterMs},
        min(${LAST_RETRY_MS}, ${FIRST_RETRY_MS} * (1 << min(attempts, 20))))`,
    before,
  );
}

async function startOver(slice: ChatSlice, error: ChatPieceLost): Promise<void> {
  const { context, chat } = slice;
  const nowMs = context.platform.clock.now();
  context.log.error("A chat replay is read from its start", { uploadId: chat.upload_id, error });
  await endSlice(
    slice,
    sql`${UNREAD}, next_attempt_at = ${nowMs + FIRST_RETRY_MS}`,
    removePieces(sql`upload_id = ${chat.upload_id}`, nowMs),
  );
}

/**
 * Stores the chat as one object, unless an earlier one has more of it. A chat that is `short` is
 * partial, and read again later: cursors that are refused today may work then.
 */
async function close(
  slice: ChatSlice,
  pieces: ChatPieces,
  end: "complete" | "short" | "partial" | "gone",
): Promise<void> {
  const { context, chat, upload, signal } = slice;
  const { platform } = context;
  const isBetter = end === "complete" || hasMore(chat, pieces);
  if (isBetter) await joinChat(context, chat, upload, pieces.tail(), signal);
  const untilSec = isBetter ? pieces.untilSec() : chat.stored_until_sec;
  const shortSeconds = isBetter ? pieces.shortSeconds() : chat.stored_short_seconds;
  const state = end === "short" || (end === "gone" && untilSec !== null) ? "partial" : end;
  const reread = end === "short" ? (chat.reread + 1) % (MAX_REREADS + 1) : 0;
  const nowMs = platform.clock.now();
  await batchUnderChatLease(platform, chat, [
    ...recordedChange(
      endChatLease(
        chat,
        sql`state = ${state}, stored_until_sec = ${untilSec},
          stored_short_seconds = ${JSON.stringify(shortSeconds)}, reread = ${reread},
          next_attempt_at = ${nowMs} + (${FIRST_REREAD_MS} << (2 * max(0, ${reread} - 1))), ${UNREAD}`,
      ),
      nowMs,
      {
        audit: {
          actorId: null,
          action: "upload.chat_end",
          target: chat.upload_id,
          after: { state, untilSec, shortSeconds },
        },
        event:
          state === "complete" || chat.reread > 0
            ? null
            : incompleteEvent(slice, state, end === "short" ? shortSeconds : [], untilSec),
      },
    ),
    ...removePieces(sql`upload_id = ${chat.upload_id}`, nowMs),
    sql`UPDATE uploads SET version = version + 1,
        chat_key = ${isBetter ? chatKeyOf(chat, upload) : sql`chat_key`}
      WHERE id = ${chat.upload_id}`,
  ]);
}

/** Whether the pieces hold more than the stored chat. */
function hasMore(chat: ChatRow, pieces: ChatPieces): boolean {
  const [untilSec, storedSec] = [pieces.untilSec() ?? -1, chat.stored_until_sec ?? -1];
  const isFuller = pieces.shortSeconds().length < chat.stored_short_seconds.length;
  return untilSec > storedSec || (untilSec === storedSec && isFuller);
}

function incompleteEvent(
  { chat, upload, source }: ChatSlice,
  state: "partial" | "gone",
  shortSeconds: readonly number[],
  untilSec: number | null,
): NotificationEvent {
  const until = state === "partial" && untilSec !== null ? `, to ${chatTime(untilSec)},` : "";
  const stored =
    state === "partial" ? `What there was${until} is stored.` : "None of it is stored.";
  const short = shortTimes(shortSeconds);
  return {
    type: "chat_incomplete",
    subject: chat.upload_id,
    title: `Chat incomplete: ${upload.title ?? upload.filename}`,
    body:
      short === ""
        ? `${source.name} no longer has the chat. ${stored}`
        : `${source.name} did not hand out all messages at ${short}. The others are stored, and it is asked again tomorrow.`,
    link: `/uploads?upload=${chat.upload_id}`,
  };
}
