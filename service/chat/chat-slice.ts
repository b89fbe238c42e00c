import { shortTimes } from "#contract/chat.ts";
import { clockTime } from "#contract/clock-time.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { NotificationEvent } from "#service/changes/notification-event.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { JOB_KINDS } from "#service/jobs/job-kinds.ts";
import type { JobHandler } from "#service/jobs/job-runner.ts";
import { again, end, type Job, JobLost, keep, later } from "#service/jobs/jobs.ts";
import type { Statement } from "#service/ports/database.ts";
import { StoreError } from "#service/ports/object-store.ts";
import { SourceError } from "#service/source/source-error.ts";
import type { Source, Sources } from "#service/source/source.ts";
import { removePieces, removeStrayChat, UNREAD } from "#service/storage/chat-record.ts";
import { mayCopyOfJob } from "#service/storage/consent-pause.ts";
import { vodOf } from "#service/storage/item-id.ts";
import { StartOver, TryLater } from "#service/storage/run-end.ts";
import { publishUpload } from "#service/storage/upload-events.ts";
import { chatUpload, chatKeyOf, joinChat, type ChatUpload } from "./chat-file.ts";
import { chatLine } from "./chat-format.ts";
import { openChatPieces, type ChatPieces } from "./chat-pieces.ts";
import { chatRow, type ChatRow } from "./chat-row.ts";
import { findStretch, pagesOfStretch, type ChatStretch } from "./chat-stretch.ts";

/** A growing chat is read at least every two minutes: this, a sweep and the slices before it. */
const GROWTH_POLL_MS = 60_000;

/** Waits before a chat with short seconds is read again, each four times as long as the last. */
const FIRST_REREAD_MS = 24 * 3_600_000;
const MAX_REREADS = 3;

/** Twitch reports videos as missing that are there: so many answers in a row, over 7 minutes. */
const GONE_ANSWERS = 4;

type ChatSlice = {
  readonly context: ServiceContext;
  readonly job: Job;
  readonly chat: ChatRow;
  readonly upload: ChatUpload;
  readonly source: Source;
  readonly signal: AbortSignal;
};

/**
 * Reads a chat, whose upload's id is the job's key, until its end, a fault, the end of the slice, or
 * until the process stops, keeps what it read, and records the outcome.
 */
export function chatJob(context: ServiceContext, sources: Sources): JobHandler {
  return {
    mayRun: mayCopyOfJob,
    async run(job, signal) {
      const found = await begin(context, job);
      if (found === null) {
        await end(context.platform, job);
        return;
      }
      const { chat, upload } = found;
      const source = sources[upload.kind];
      if (source?.readChat === undefined) throw new Error(`No chat at sources of ${upload.kind}`);
      try {
        await readOrWait({ context, job, chat, upload, source, signal });
      } catch (error) {
        if (error instanceof JobLost)
          await removeStrayChat(context.platform, chat.upload_id, chatKeyOf(chat, upload));
        throw error;
      } finally {
        await publishUpload(context.platform, chat.upload_id);
      }
    },
  };
}

/** Null if there is no chat to read. */
async function begin(
  { platform }: ServiceContext,
  job: Job,
): Promise<{ chat: ChatRow; upload: ChatUpload } | null> {
  const [begun] = await keep(platform, job, [
    sql`UPDATE chats SET state = 'reading'
      WHERE upload_id = ${job.key} AND (state = 'reading' OR reread > 0) RETURNING *`,
  ]);
  const [row] = begun?.rows ?? [];
  const [found] = await platform.database.all(sql`
    SELECT u.kind, u.status, u.vod_id, u.source_url, u.filename, u.title, u.duration_sec,
      u.recorded_at, u.created_at, u.owner_id, o.login, o.display_name
    FROM uploads u JOIN users o ON o.id = u.owner_id WHERE u.id = ${job.key}`);
  return row === undefined || found === undefined
    ? null
    : { chat: chatRow.parse(row), upload: chatUpload.parse(found) };
}

async function readOrWait(slice: ChatSlice): Promise<void> {
  const { context, chat, job } = slice;
  const { platform } = context;
  const { clock } = platform;
  const ended = endSlice(chat);
  try {
    const stretch = await findStretch(platform, chat, slice.upload);
    if (stretch === "unplanned") {
      await later(platform, job, clock.now() + GROWTH_POLL_MS, ended);
      return;
    }
    const pieces = await openChatPieces(platform, job, chat);
    switch (await readPages(slice, pieces, stretch)) {
      case "interrupted":
        await later(platform, job, clock.now(), ended);
        return;
      case "growing":
        await later(platform, job, clock.now() + GROWTH_POLL_MS, ended);
        return;
      case "ended":
        return await close(slice, pieces, pieces.shortSeconds().length > 0 ? "short" : "complete");
      case "given_up":
        return await close(slice, pieces, pieces.untilSec() === null ? "gone" : "partial");
    }
  } catch (error) {
    if (error instanceof JobLost) throw error;
    if (error instanceof StartOver) await startOver(slice, error);
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

async function readPages(
  slice: ChatSlice,
  pieces: ChatPieces,
  stretch: ChatStretch | null,
): Promise<Reading> {
  const { context, chat, upload, source, signal } = slice;
  const { clock } = context.platform;
  const isFinal = chat.has_ended === 1 || !["pending", "processing"].includes(upload.status);
  const endMs = clock.monotonic() + JOB_KINDS.chat.sliceMs;
  const vodId = vodOf(upload.vod_id);
  const reference = upload.source_url ?? vodId;
  const from = {
    sec: (stretch?.beginsAtSec ?? 0) + (pieces.untilSec() ?? 0),
    knownIds: pieces.knownIds,
  };
  const about = { vodId, ownerId: upload.owner_id };
  let reading: Reading = isFinal ? "ended" : "growing";
  try {
    const pages = source.readChat?.(reference, from, signal) ?? [];
    for await (const page of stretch === null ? pages : pagesOfStretch(pages, stretch)) {
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

/** Statements that end a slice. The upload shows how far the chat is read. */
function endSlice(
  { upload_id: uploadId }: ChatRow,
  changes: Statement = sql`gone_answers = 0`,
): readonly Statement[] {
  return [
    sql`UPDATE chats SET ${changes} WHERE upload_id = ${uploadId}`,
    sql`UPDATE uploads SET version = version + 1 WHERE id = ${uploadId}`,
  ];
}

/** Continues after a delay, longer with each fault in a row; at once after an interruption. */
async function wait({ context, chat, job, signal }: ChatSlice, error: unknown): Promise<void> {
  const { platform, log } = context;
  const nowMs = platform.clock.now();
  const uploadId = chat.upload_id;
  const isGone = error instanceof SourceError && error.failureClass === "gone_at_source";
  const ended = endSlice(chat, sql`gone_answers = ${isGone ? sql`gone_answers + 1` : sql`0`}`);
  if (signal.aborted) {
    await later(platform, job, nowMs, ended);
    return;
  }
  const isFault = [SourceError, StoreError, TryLater].some((of) => error instanceof of);
  const text = "The chat replay could not be read further; it will be tried again";
  log[isFault ? "info" : "error"](text, { uploadId, error });
  const message = error instanceof Error ? error.message : String(error);
  const retryAfterMs = error instanceof SourceError ? error.retryAfterMs : null;
  await again(platform, job, { message, retryAfterMs }, ended);
}

async function startOver({ context, chat, job }: ChatSlice, error: StartOver): Promise<void> {
  const { platform, log } = context;
  const nowMs = platform.clock.now();
  log.error("A chat replay is read from its start", { uploadId: chat.upload_id, error });
  await again(platform, job, error, [
    ...removePieces(sql`upload_id = ${chat.upload_id}`, nowMs),
    ...endSlice(chat, UNREAD),
  ]);
}

/**
 * Stores the chat as one object, unless an earlier one has more of it. A chat that is `short` is
 * partial, and read again later: cursors that are refused today may work then.
 */
async function close(
  slice: ChatSlice,
  pieces: ChatPieces,
  how: "complete" | "short" | "partial" | "gone",
): Promise<void> {
  const { context, chat, job, upload, signal } = slice;
  const { platform } = context;
  const isBetter = how === "complete" || hasMore(chat, pieces);
  if (isBetter) await joinChat(context, job, chat, upload, pieces.tail(), signal);
  const untilSec = isBetter ? pieces.untilSec() : chat.stored_until_sec;
  const shortSeconds = isBetter ? pieces.shortSeconds() : chat.stored_short_seconds;
  const state = how === "short" || (how === "gone" && untilSec !== null) ? "partial" : how;
  const reread = how === "short" ? (chat.reread + 1) % (MAX_REREADS + 1) : 0;
  const nowMs = platform.clock.now();
  const rereadAtMs = nowMs + FIRST_REREAD_MS * 4 ** (reread - 1);
  const closed = [
    ...recordedChange(
      sql`UPDATE chats SET state = ${state}, stored_until_sec = ${untilSec},
          stored_short_seconds = ${JSON.stringify(shortSeconds)}, reread = ${reread}, ${UNREAD}
        WHERE upload_id = ${chat.upload_id}`,
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
            : incompleteEvent(slice, state, how === "short" ? shortSeconds : [], untilSec),
      },
    ),
    ...removePieces(sql`upload_id = ${chat.upload_id}`, nowMs),
    sql`UPDATE uploads SET version = version + 1,
        chat_key = ${isBetter ? chatKeyOf(chat, upload) : sql`chat_key`}
      WHERE id = ${chat.upload_id}`,
  ];
  if (reread > 0) await later(platform, job, rereadAtMs, closed);
  else await end(platform, job, closed);
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
  const until = state === "partial" && untilSec !== null ? `, to ${clockTime(untilSec)},` : "";
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
