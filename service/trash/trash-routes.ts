import * as z from "zod/mini";
import * as calls from "#contract/trash.ts";
import type { ServiceContext } from "#service/context.ts";
import { actorOf, principalOf, route, type Actor, type Route } from "#service/http/route.ts";
import type { DataOf } from "#contract/call.ts";
import { objectKeySchema } from "#contract/files.ts";
import { MAX_BULK_FILES } from "#contract/limits.ts";
import { sql } from "#service/db/sql.ts";
import { deleteTrashedFiles, sumOfDeleted } from "#service/files/file-deletion.ts";
import { findRoom } from "./find-room.ts";
import { requireMayUnlock, restoreFiles, setLock } from "./locks.ts";
import { moveToTrash } from "./move-to-trash.ts";
import { simulate } from "./simulation.ts";

export function trashRoutes(context: ServiceContext): Route[] {
  return [
    route(calls.simulateRetention, ({ body, context: request }) =>
      simulate(context, body, principalOf(request).userId),
    ),

    route(calls.lockFile, async ({ params, body, context: request }) => {
      if (!body.locked) await requireMayUnlock(context, params.key, principalOf(request));
      const lockedAtMs = await setLock(context, params.key, body.locked, actorOf(request));
      return { lockedAt: lockedAtMs === null ? null : new Date(lockedAtMs).toISOString() };
    }),

    route(calls.findRoom, () => findRoom(context)),

    route(calls.trashFiles, async ({ body, context: request }) => {
      const mover = { ...actorOf(request), isRule: false };
      const nowMs = context.platform.clock.now();
      return { trashed: [...(await moveToTrash(context, body.keys, mover, nowMs))] };
    }),

    route(calls.restoreFiles, async ({ body, context: request }) => ({
      restored: await restoreFiles(context, body.keys, actorOf(request)),
    })),

    route(calls.emptyTrash, ({ context: request }) => deleteOldestTrash(context, actorOf(request))),
  ];
}

const keyRow = z.object({ object_key: objectKeySchema });

/** Deletes the files that entered the trash first. Those whose uploads run are passed over. */
async function deleteOldestTrash(
  context: ServiceContext,
  actor: Actor,
): Promise<DataOf<typeof calls.emptyTrash>> {
  const { database } = context.platform;
  const rows = await database.all(sql`
    SELECT object_key FROM files f WHERE trash_until IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM uploads u WHERE u.id = f.upload_id AND u.status IN ('pending', 'processing'))
    ORDER BY trash_until, seq LIMIT ${MAX_BULK_FILES}`);
  const outcomes = await deleteTrashedFiles(
    context,
    rows.map((row) => keyRow.parse(row).object_key),
    actor,
    sql`f.trash_until IS NOT NULL`,
  );
  const [trash] = await database.all(
    sql`SELECT count(*) AS files FROM files WHERE trash_until IS NOT NULL`,
  );
  return { ...sumOfDeleted(outcomes), left: Number(trash?.files) };
}
