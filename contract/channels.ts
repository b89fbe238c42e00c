import * as z from "zod/mini";
import { defineCall } from "./call.ts";
import { ruleChangesSchema, ruleSchema } from "./channel-rules.ts";
import { twitchUserIdSchema } from "./ids.ts";
import {
  MAX_CHANNELS_ADDED,
  MAX_RIGHTS_REASON_LENGTH,
  MAX_SOURCE_ADDRESS_LENGTH,
} from "./limits.ts";
import { limitParameter, pagedListSchema, pageParameter, searchParameter } from "./paging.ts";
import { publicProfileSchema } from "./upload.ts";
import { instantSchema, sizeBytesSchema, usdSchema } from "./values.ts";

const count = z.int().check(z.nonnegative());
const confirmationSchema = z.strictObject({
  reason: z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_RIGHTS_REASON_LENGTH)),
});
const deletesAfterDays = z.int().check(z.minimum(1), z.maximum(3_650));

/** What allows archiving a channel; checked again at each start. */
const basisSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("consent"), agreedAt: instantSchema }),
  z.object({
    kind: z.literal("confirmation"),
    confirmedBy: publicProfileSchema,
    reason: z.string(),
    confirmedAt: instantSchema,
  }),
]);

/** A channel whose VODs are archived by a rule. */
export const channelSchema = z.object({
  id: twitchUserIdSchema,
  login: z.string(),
  displayName: z.string(),
  profileImageUrl: z.nullable(z.string()),
  addedAt: instantSchema,
  /** On whose rights the rule acts: who added the channel or changed its rule last. */
  author: publicProfileSchema,
  pausedAt: z.nullable(instantSchema),
  /** Null: nothing is archived until the owner agrees or an administrator confirms. */
  basis: z.nullable(basisSchema),
  live: z.nullable(z.object({ title: z.string(), startedAt: instantSchema })),
  /** When the newest VOD was broadcast. */
  lastVodAt: z.nullable(instantSchema),
  /** From when the source may delete a wanted VOD that is not stored; the earliest. */
  dangerAt: z.nullable(instantSchema),
  /** The same of those that the rule leaves out. */
  leftOutDangerAt: z.nullable(instantSchema),
  /** How long the source keeps past broadcasts: by the kind of broadcaster, or the own figure. */
  deletesAfterDays: z.int(),
  /** An administrator's own figure, which replaces that of the kind of broadcaster. */
  ownDeletesAfterDays: z.nullable(z.int()),
  archived: z.object({
    files: count,
    durationSec: z.number(),
    sizeBytes: sizeBytesSchema,
    usdPerMonth: usdSchema,
  }),
  /**
   * Its VODs by state; `lost` were wanted and vanished before they were stored. `failed` has
   * those that a rule will try again, too.
   */
  vods: z.object({
    stored: count,
    waiting: count,
    failed: count,
    leftOut: count,
    lost: count,
  }),
  rule: ruleSchema,
  changes: ruleChangesSchema,
  /** When its whole list of VODs was last read. */
  checkedAt: z.nullable(instantSchema),
  /** What is wrong, as a sentence. */
  trouble: z.nullable(z.string()),
});
export type Channel = z.infer<typeof channelSchema>;

export const CHANNEL_STATES = ["live", "danger", "lost", "trouble", "paused"] as const;
export const CHANNEL_SORTS = ["name", "lastVodAt", "dangerAt", "size", "checkedAt"] as const;

export const listChannels = defineCall({
  method: "GET",
  path: "/admin/channels",
  policy: "read:uploads",
  summary: "The channels that are archived by rules",
  query: z.strictObject({
    page: pageParameter,
    limit: limitParameter,
    search: searchParameter,
    state: z.optional(z.enum(CHANNEL_STATES)),
    sortBy: z._default(z.enum(CHANNEL_SORTS), "name"),
    sortOrder: z._default(z.enum(["asc", "desc"]), "asc"),
  }),
  data: z.extend(pagedListSchema(channelSchema), {
    summary: z.object({
      channels: count,
      live: count,
      /** VODs that are wanted, not stored, and may be deleted within three days. */
      inDanger: count,
      /** VODs that were wanted and vanished within the last 30 days before they were stored. */
      lost: count,
      /** Stored VODs that the source has muted, cut or deleted since. */
      rare: count,
    }),
  }),
});

export const addChannels = defineCall({
  method: "POST",
  path: "/admin/channels",
  policy: "write:uploads",
  summary: "Add channels by name or address; each has its own result. Safe to repeat",
  body: z.strictObject({
    names: z
      .array(z.string().check(z.minLength(1), z.maxLength(MAX_SOURCE_ADDRESS_LENGTH)))
      .check(z.minLength(1), z.maxLength(MAX_CHANNELS_ADDED)),
    /** The own word that one holds the rights, for those whose owners have not agreed. */
    confirmation: z.optional(confirmationSchema),
    changes: z.optional(ruleChangesSchema),
  }),
  data: z.object({
    /** In the order of the names. */
    results: z.array(
      z.object({
        name: z.string(),
        result: z.enum(["added", "already_added", "unknown", "invalid", "unanswered"]),
        /** For `unknown`, `invalid` and `unanswered`: why, as a sentence. */
        error: z.optional(z.string()),
        channel: z.optional(z.object({ id: twitchUserIdSchema, displayName: z.string() })),
        /** False: waits for the owner's consent or a confirmation. */
        hasBasis: z.optional(z.boolean()),
      }),
    ),
  }),
});

const channelParams = z.strictObject({ id: twitchUserIdSchema });

export const getChannel = defineCall({
  method: "GET",
  path: "/admin/channels/{id}",
  policy: "read:uploads",
  summary: "One channel",
  params: channelParams,
  data: channelSchema,
});

export const updateChannel = defineCall({
  method: "PUT",
  path: "/admin/channels/{id}",
  policy: "write:uploads",
  summary: "Change a channel's rule, basis, deadline or pause; what is absent stays",
  params: channelParams,
  body: z.strictObject({
    /** All changes of the default rule; those that are absent here are taken back. */
    changes: z.optional(ruleChangesSchema),
    /** The changes that these were made from; if given, and others are saved, it is a conflict. */
    replaces: z.optional(ruleChangesSchema),
    paused: z.optional(z.boolean()),
    confirmation: z.optional(confirmationSchema),
    ownDeletesAfterDays: z.optional(z.nullable(deletesAfterDays)),
    /**
     * The digest of the simulation of a retention that would remove files; without it, or with that
     * of another list, the change is a conflict.
     */
    simulation: z.optional(z.string().check(z.maxLength(64))),
  }),
  data: channelSchema,
});

export const removeChannel = defineCall({
  method: "DELETE",
  path: "/admin/channels/{id}",
  policy: "write:uploads",
  summary: "Stop following a channel and what its rule began; its files stay",
  params: channelParams,
  data: z.object({}),
});

export const checkChannel = defineCall({
  method: "POST",
  path: "/admin/channels/{id}/check",
  policy: "write:uploads",
  summary: "Read a channel's list of VODs at the next opportunity",
  params: channelParams,
  data: z.object({}),
});

/** The default rule, and the switch that pauses all rules and all retention. */
export const channelDefaultsSchema = z.object({
  rule: ruleSchema,
  changedBy: z.nullable(publicProfileSchema),
  changedAt: z.nullable(instantSchema),
  pausedBy: z.nullable(publicProfileSchema),
  pausedAt: z.nullable(instantSchema),
});

export const readChannelDefaults = defineCall({
  method: "GET",
  path: "/admin/channels/defaults",
  policy: "read:uploads",
  summary: "The rule of channels without changes, and whether all rules are paused",
  data: channelDefaultsSchema,
});

export const updateChannelDefaults = defineCall({
  method: "PUT",
  path: "/admin/channels/defaults",
  policy: "write:uploads",
  summary: "Change the default rule, or pause all rules and all retention",
  body: z.strictObject({
    rule: z.optional(ruleSchema),
    /** The rule that it was made from; if given, and another is saved, it is a conflict. */
    replaces: z.optional(ruleSchema),
    paused: z.optional(z.boolean()),
    simulation: z.optional(z.string().check(z.maxLength(64))),
  }),
  data: channelDefaultsSchema,
});
