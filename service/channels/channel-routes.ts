import * as vodCalls from "#contract/channel-vods.ts";
import { findChannels as findChannelsCall } from "#contract/channel-lookup.ts";
import * as calls from "#contract/channels.ts";
import type { ServiceContext } from "#service/context.ts";
import { ApiError } from "#service/api-error.ts";
import {
  actorOf,
  principalOf,
  route,
  type Actor,
  type RequestContext,
  type Route,
} from "#service/http/route.ts";
import type { TwitchApi } from "#service/twitch/twitch-api.ts";
import { addChannels } from "./channel-add.ts";
import { changeChannel, checkChannel, removeChannel } from "./channel-change.ts";
import { changeDefaults, readDefaults } from "./channel-defaults.ts";
import { findChannels } from "./channel-find.ts";
import { pageChannels, requireChannel } from "./channel-list.ts";
import { previewRule } from "./rule-preview.ts";
import { decideVods } from "./vod-decision.ts";
import { pageVods } from "./vod-list.ts";

export function channelRoutes(context: ServiceContext, twitch: TwitchApi): Route[] {
  const { database, clock } = context.platform;
  return [
    route(calls.listChannels, ({ query }) => pageChannels(context.platform, query)),
    route(calls.addChannels, ({ body, context: request }) =>
      addChannels(
        context,
        twitch,
        body,
        body.changes?.retention === undefined ? actorOf(request) : authorOf(request),
      ),
    ),
    route(findChannelsCall, ({ body, context: request }) =>
      findChannels(context, twitch, body, principalOf(request).userId),
    ),
    route(calls.readChannelDefaults, () => readDefaults(database)),
    route(calls.updateChannelDefaults, ({ body, context: request }) =>
      changeDefaults(context, body, body.rule === undefined ? actorOf(request) : authorOf(request)),
    ),
    route(vodCalls.previewRule, ({ body }) => previewRule(database, body, clock.now())),
    route(calls.getChannel, ({ params }) => requireChannel(database, params.id)),
    route(calls.updateChannel, ({ params, body, context: request }) =>
      changeChannel(
        context,
        params.id,
        body,
        body.changes === undefined && body.confirmation === undefined
          ? actorOf(request)
          : authorOf(request),
      ),
    ),
    route(calls.removeChannel, async ({ params, context: request }) => {
      await removeChannel(context, params.id, actorOf(request));
      return {};
    }),
    route(calls.checkChannel, async ({ params, context: request }) => {
      await checkChannel(context, params.id, actorOf(request));
      return {};
    }),
    route(vodCalls.listVods, ({ params, query }) =>
      pageVods(database, params.id, query, clock.now()),
    ),
    route(vodCalls.decideVods, async ({ params, body, context: request }) => ({
      changed: await decideVods(context, params.id, body, actorOf(request)),
    })),
  ];
}

/**
 * Who becomes the author of a rule. Its retention acts later on all rights of the author, so a token
 * needs those that it can use.
 * @throws {ApiError} forbidden
 */
function authorOf(request: RequestContext): Actor {
  const { token, permissions } = principalOf(request);
  if (token !== null && !permissions.includes("delete:uploads"))
    throw new ApiError("forbidden", "A token that sets rules needs the permission delete:uploads.");
  return actorOf(request);
}
