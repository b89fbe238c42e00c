import * as calls from "#contract/trash.ts";
import type { ServiceContext } from "#service/context.ts";
import { actorOf, principalOf, route, type Route } from "#service/http/route.ts";
import { deleteOldestTrash } from "./empty-trash.ts";
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

    route(calls.trashFiles, async ({ body, context: request }) => ({
      trashed: [...(await moveToTrash(context, body.keys, { ...actorOf(request), isRule: false }))],
    })),

    route(calls.restoreFiles, async ({ body, context: request }) => ({
      restored: await restoreFiles(context, body.keys, actorOf(request)),
    })),

    route(calls.emptyTrash, ({ context: request }) => deleteOldestTrash(context, actorOf(request))),
  ];
}
