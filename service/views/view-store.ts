import type { UserId, ViewId } from "#contract/ids.ts";
import { MAX_SAVED_VIEWS } from "#contract/limits.ts";
import { savedViewSchema, type SavedView } from "#contract/views.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { Actor } from "#service/http/route.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { ApiError } from "#service/api-error.ts";

const VIEW_COLUMNS = sql`CAST(seq AS TEXT) AS id, screen, name, search`;

export async function listSavedViews(
  { platform }: ServiceContext,
  userId: UserId,
): Promise<SavedView[]> {
  const rows = await platform.database.all(sql`
    SELECT ${VIEW_COLUMNS} FROM saved_views WHERE user_id = ${userId}
    ORDER BY name COLLATE NOCASE, seq`);
  return rows.map((row) => savedViewSchema.parse(row));
}

/**
 * Saves a view, replacing one with the same name.
 * @throws {ApiError} conflict when the maximum number is reached
 */
export async function saveView(
  { platform }: ServiceContext,
  view: Omit<SavedView, "id">,
  actor: Actor,
): Promise<SavedView> {
  const { database, clock } = platform;
  const nowMs = clock.now();
  const isSame = sql`user_id = ${actor.actorId} AND screen = ${view.screen} AND name = ${view.name}`;
  const [saved] = await database.batch(
    recordedChange(
      sql`INSERT INTO saved_views (user_id, screen, name, search, updated_at)
      SELECT ${actor.actorId}, ${view.screen}, ${view.name}, ${view.search}, ${nowMs}
      WHERE EXISTS (SELECT 1 FROM saved_views WHERE ${isSame})
        OR (SELECT count(*) FROM saved_views WHERE user_id = ${actor.actorId}) < ${MAX_SAVED_VIEWS}
      ON CONFLICT (user_id, screen, name)
        DO UPDATE SET search = excluded.search, updated_at = excluded.updated_at
      RETURNING ${VIEW_COLUMNS}`,
      nowMs,
      { audit: { ...actor, action: "view.save", target: view.screen, after: view } },
    ),
  );
  const row = saved?.rows[0];
  if (row === undefined)
    throw new ApiError(
      "conflict",
      `You have ${MAX_SAVED_VIEWS} saved views already. Please delete one first.`,
    );
  return savedViewSchema.parse(row);
}

/** @throws {ApiError} not_found, also for another user's view */
export async function deleteView(
  { platform }: ServiceContext,
  id: ViewId,
  actor: Actor,
): Promise<void> {
  const { database, clock } = platform;
  const isMine = sql`CAST(seq AS TEXT) = ${id} AND user_id = ${actor.actorId}`;
  const [found] = await database.all(sql`
    SELECT ${VIEW_COLUMNS} FROM saved_views WHERE ${isMine}`);
  if (found === undefined) throw noSuchView();
  const { id: _id, ...before } = savedViewSchema.parse(found);
  const [deleted] = await database.batch(
    recordedChange(sql`DELETE FROM saved_views WHERE ${isMine}`, clock.now(), {
      audit: { ...actor, action: "view.delete", target: before.screen, before },
    }),
  );
  if (deleted?.changes === 0) throw noSuchView();
}

function noSuchView(): ApiError {
  return new ApiError("not_found", "There is no such view. It may have been deleted.");
}
