import * as calls from "#contract/views.ts";
import type { ServiceContext } from "#service/context.ts";
import { principalOf, route, type RequestContext, type Route } from "#service/http/route.ts";
import { deleteView, listSavedViews, saveView, type ViewChangeBy } from "./view-store.ts";

/** Everybody's views are their own: nobody reads or changes another's. */
export function viewRoutes(context: ServiceContext): Route[] {
  return [
    route(calls.listViews, async ({ context: request }) => ({
      views: await listSavedViews(context, principalOf(request).userId),
    })),
    route(calls.saveView, ({ body, context: request }) => saveView(context, body, by(request))),
    route(calls.deleteView, async ({ params, context: request }) => {
      await deleteView(context, params.id, by(request));
      return { id: params.id };
    }),
  ];
}

function by(request: RequestContext): ViewChangeBy {
  return { userId: principalOf(request).userId, requestId: request.requestId };
}
