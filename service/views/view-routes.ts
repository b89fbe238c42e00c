import * as calls from "#contract/views.ts";
import type { ServiceContext } from "#service/context.ts";
import { actorOf, principalOf, route, type Route } from "#service/http/route.ts";
import { deleteView, listSavedViews, saveView } from "./view-store.ts";

/** Views are private: nobody can read or change another user's. */
export function viewRoutes(context: ServiceContext): Route[] {
  return [
    route(calls.listViews, async ({ context: request }) => ({
      views: await listSavedViews(context, principalOf(request).userId),
    })),
    route(calls.saveView, ({ body, context: request }) =>
      saveView(context, body, actorOf(request)),
    ),
    route(calls.deleteView, async ({ params, context: request }) => {
      await deleteView(context, params.id, actorOf(request));
      return { id: params.id };
    }),
  ];
}
