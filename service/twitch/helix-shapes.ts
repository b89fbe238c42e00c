import * as z from "zod/mini";
import { twitchUserIdSchema, twitchVodIdSchema } from "#contract/ids.ts";

/**
 * Answers of Helix, as far as they are used (dev.twitch.tv/docs/api/reference); the rest is
 * ignored.
 */

export const helixUserSchema = z.object({
  id: twitchUserIdSchema,
  login: z.string().check(z.minLength(1)),
  display_name: z.string(),
  profile_image_url: z.nullish(z.string()),
  email: z.nullish(z.string()),
});
export type HelixUser = z.infer<typeof helixUserSchema>;

export const helixVideoSchema = z.object({
  id: twitchVodIdSchema,
  stream_id: z.nullish(z.string()),
  user_id: twitchUserIdSchema,
  user_login: z.string(),
  user_name: z.string(),
  title: z.string(),
  created_at: z.iso.datetime({ offset: true }),
  thumbnail_url: z.string(),
  type: z.string(),
  /** Go's way of writing a duration: `3h21m9s`. */
  duration: z.string().check(z.regex(/^(?:\d{1,6}h)?(?:\d{1,6}m)?(?:\d{1,9}(?:\.\d+)?s)?$/)),
  muted_segments: z.nullish(
    z.array(
      z.object({
        offset: z.number().check(z.nonnegative()),
        duration: z.number().check(z.nonnegative()),
      }),
    ),
  ),
});
export type HelixVideo = z.infer<typeof helixVideoSchema>;

export const helixChannelSchema = z.object({
  broadcaster_id: twitchUserIdSchema,
  /** Empty while the channel names none. */
  game_name: z.string(),
});
export type HelixChannel = z.infer<typeof helixChannelSchema>;

export const helixStreamSchema = z.object({ id: z.string(), user_id: twitchUserIdSchema });
export type HelixStream = z.infer<typeof helixStreamSchema>;
