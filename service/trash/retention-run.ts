import * as z from "zod/mini";
import { objectKeySchema } from "#contract/files.ts";
import { notificationEventIf } from "#service/changes/notification-event.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { deleteTrashedFiles } from "#service/files/file-deletion.ts";
import { findRunningSince } from "#service/clock-trust.ts";
import { IN_TRASH_HOURS, IN_TRASH_MS, moveToTrash } from "./move-to-trash.ts";
import {
  findRemovableFiles,
  mayDelete,
  SAVED_RETENTIONS,
  type RemovableFile,
} from "./removable-files.ts";

const DAY_MS = 86_400_000;

/** Keys per transaction, so that none takes long. */
const TRASHED_AT_ONCE = 250;

/** Per run, so that a wrong clock does its harm slowly; 1,200 a day. */
const DELETED_A_RUN = 50;

/** More are told as a number. */
const NAMED_CHANNELS = 3;

/**
 * Moves to the trash what the saved rules remove now, and deletes what has been there for its time and
 * what the rules still remove, or a person put there. The rest stays in the trash until a person restores
 * or deletes it: files of a channel that is no longer followed, and those that the present rule would keep.
 *
 * The time in the trash has passed by the clock, and the service has run for as many hours: a jump of
 * the clock alone completes it for no file.
 *
 * Call it only with a trusted clock (service/clock-trust.ts). Safe to repeat.
 */
export async function runRetention(context: ServiceContext, nowMs: number): Promise<void> {
  const { database } = context.platform;
  const found = await findRemovableFiles(database, SAVED_RETENTIONS, nowMs);
  const removed = found.files.filter(({ heldBy }) => heldBy === null);
  const runningSinceMs = (await findRunningSince(database, IN_TRASH_HOURS, nowMs)) ?? -Infinity;
  const dueMs = Math.min(nowMs, runningSinceMs + IN_TRASH_MS);
  const isDue = ({ trashUntilMs }: RemovableFile) => trashUntilMs !== null && trashUntilMs <= dueMs;
  for (const [authorId, files] of byAuthor(removed.filter((file) => file.trashUntilMs === null)))
    for (let from = 0; from < files.length; from += TRASHED_AT_ONCE)
      await moveToTrash(
        context,
        files.slice(from, from + TRASHED_AT_ONCE).map(({ key }) => key),
        { actorId: authorId, reason: "By the channel's rule.", isRule: true },
        nowMs,
        sql`status = 'complete'`,
      );
  for (const [actorId, files] of byAuthor(removed.filter(isDue).slice(0, DELETED_A_RUN)))
    await deleteTrashedFiles(
      context,
      files.map(({ key }) => objectKeySchema.parse(key)),
      { actorId, reason: "By the channel's rule, after 14 days in the trash." },
      sql`f.trash_until <= ${nowMs} AND f.status = 'complete'`,
    );
  await deleteTrashedByHand(context, dueMs);
  await announceTrashed(context, nowMs);
}

/** On the right of whoever moved them there. */
async function deleteTrashedByHand(context: ServiceContext, dueMs: number): Promise<void> {
  const isDue = sql`f.trash_until <= ${dueMs} AND f.trashed_by IS NOT NULL`;
  const rows = await context.platform.database.all(sql`
    SELECT f.object_key AS key, f.trashed_by AS actorId FROM files f
    WHERE ${isDue} AND ${mayDelete(sql`f.trashed_by`)} ORDER BY f.trash_until LIMIT ${DELETED_A_RUN}`);
  const files = rows.map((row) => dueRow.parse(row));
  for (const [actorId, due] of Map.groupBy(files, (file) => file.actorId))
    await deleteTrashedFiles(
      context,
      due.map(({ key }) => key),
      { actorId, reason: "After 14 days in the trash." },
      isDue,
    );
}

const dueRow = z.object({ key: objectKeySchema, actorId: z.string() });

function byAuthor(files: readonly RemovableFile[]): ReadonlyMap<string, readonly RemovableFile[]> {
  return Map.groupBy(
    files.filter(({ authorId }) => authorId !== null),
    ({ authorId }) => authorId ?? "",
  );
}

const trashedRow = z.object({ channel: z.string(), files: z.number() });

/** Tells what went to the trash since the last such event, at most once a day. */
async function announceTrashed({ platform }: ServiceContext, nowMs: number): Promise<void> {
  const told = sql`SELECT max(created_at) FROM notification_events
    WHERE type = 'files_trashed' AND subject = 'trash' AND created_at <= ${nowMs}`;
  const rows = await platform.database.all(sql`
    SELECT u.display_name AS channel, count(*) AS files
    FROM files f JOIN users u ON u.id = f.user_id
    WHERE f.trash_until IS NOT NULL AND f.trashed_by IS NULL AND f.trashed_at > coalesce((${told}), ${nowMs - DAY_MS})
    GROUP BY u.id ORDER BY files DESC, u.id`);
  const channels = rows.map((row) => trashedRow.parse(row));
  const files = channels.reduce((sum, each) => sum + each.files, 0);
  if (files === 0) return;
  const names = channels.map(({ channel }) => channel);
  await platform.database.run(
    notificationEventIf(
      {
        type: "files_trashed",
        subject: "trash",
        title: `${files} ${files === 1 ? "file" : "files"} went to the trash`,
        body: `By the rules of ${names.length > NAMED_CHANNELS ? `${names.length} channels` : names.join(", ")}. A click restores a file for 14 days.`,
        link: "/files?trash=only",
      },
      nowMs,
      sql`coalesce((${told}), 0) <= ${nowMs - DAY_MS}`,
    ),
  );
}
