import * as calls from "#contract/users.ts";
import type { SessionEnding } from "#service/auth/session-ending.ts";
import { eraseChatter } from "#service/chat/chat-erasure-request.ts";
import type { ServiceContext } from "#service/context.ts";
import { ApiError } from "#service/api-error.ts";
import {
  actorOf,
  principalOf,
  route,
  type RequestContext,
  type Route,
} from "#service/http/route.ts";
import type { UserId } from "#contract/ids.ts";
import { banUser, unbanUser } from "./ban-user.ts";
import { eraseUser, readErasure } from "./erase-user.ts";
import { setPermissions } from "./set-permissions.ts";
import type { UserChangeInput } from "./user-change.ts";
import { pageUsers } from "./user-list.ts";
import { BREACH_SENTENCES } from "./user-rules.ts";
import { requireUser } from "./user-store.ts";

export function userRoutes(context: ServiceContext, ending: SessionEnding): Route[] {
  return [
    route(calls.listUsers, async ({ query }) => await pageUsers(context, query)),
    route(calls.getUser, async ({ params }) => await requireUser(context, params.id)),
    route(
      calls.setPermissions,
      async ({ params, body, context: request }) =>
        await setPermissions(context, {
          ...changeInput(request, params.id),
          permissions: body.permissions,
          version: body.version,
        }),
    ),
    route(
      calls.banUser,
      async ({ params, body, context: request }) =>
        await banUser(context, {
          ...changeInput(request, params.id),
          reason: body?.reason ?? null,
        }),
    ),
    route(calls.endUserSessions, async ({ params, context: request }) => {
      const target = await requireUser(context, params.id);
      const { userId, permissions } = principalOf(request);
      // Repeated sign-outs stop a person from working, so rules c and d apply (user-rules.ts).
      if (target.id !== userId && target.isBootstrap)
        throw new ApiError("forbidden", BREACH_SENTENCES.set_by_deployment);
      if (!target.permissions.every((each) => permissions.includes(each)))
        throw new ApiError("forbidden", BREACH_SENTENCES.beyond_own_rights);
      await ending.endAll(target.id, actorOf(request));
      return {};
    }),
    route(
      calls.unbanUser,
      async ({ params, context: request }) =>
        await unbanUser(context, changeInput(request, params.id)),
    ),
    route(calls.previewErasure, async ({ params }) => await readErasure(context, params.id)),
    route(
      calls.eraseUser,
      async ({ params, context: request }) =>
        await eraseUser(context, changeInput(request, params.id)),
    ),
    route(calls.eraseChatter, async ({ body, context: request }) => ({
      chatReplays: await eraseChatter(context, body.twitchId, actorOf(request)),
    })),
  ];
}

function changeInput(request: RequestContext, targetId: UserId): UserChangeInput {
  return { ...actorOf(request), targetId };
}
