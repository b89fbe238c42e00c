import * as z from "zod/mini";
import { defineCall } from "./call.ts";
import { twitchUserIdSchema } from "./ids.ts";
import { MAX_CHANNELS_FOUND, MAX_SOURCE_ADDRESS_LENGTH } from "./limits.ts";
import { instantSchema, sizeBytesSchema, usdSchema } from "./values.ts";

export const findChannels = defineCall({
  method: "POST",
  path: "/admin/channels/find",
  policy: "write:uploads",
  summary: "Look up channels before they are added, and the VODs that they have",
  body: z.strictObject({
    names: z
      .array(z.string().check(z.minLength(1), z.maxLength(MAX_SOURCE_ADDRESS_LENGTH)))
      .check(z.minLength(1), z.maxLength(MAX_CHANNELS_FOUND)),
  }),
  data: z.object({
    /** Those that Twitch knows. */
    channels: z.array(
      z.object({
        id: twitchUserIdSchema,
        displayName: z.string(),
        /** By its owner's consent, or the caller's confirmation. */
        hasBasis: z.boolean(),
        /** The newest of the kinds that the default rule takes, at most five hundred. */
        vods: z.array(
          z.object({
            recordedAt: instantSchema,
            sizeBytes: sizeBytesSchema,
            usdPerMonth: usdSchema,
          }),
        ),
        hasMore: z.boolean(),
        /** Sizes rest on the usual bit rate of the quality, since nothing of the channel is stored. */
        isRough: z.boolean(),
      }),
    ),
  }),
});
