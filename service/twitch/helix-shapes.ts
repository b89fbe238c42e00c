import * as z from "zod/mini";
import { twitchUserIdSchema, twitchVodIdSchema } from "#contract/ids.ts";

/** The fields used of Helix's answers (dev.twitch.tv/docs/api/reference). */

/** Limits on names, titles and addresses, which are stored and sent with every list. */
const MAX_NAME_LENGTH = 100;
const MAX_TITLE_LENGTH = 500;
const MAX_EMAIL_LENGTH = 320;
const MAX_ADDRESS_LENGTH = 2_048;

const login = z.string().check(z.minLength(1), z.maxLength(MAX_NAME_LENGTH));

/** Display text, shortened to `maxLength`. */
const shownText = (maxLength: number) =>
  z.pipe(
    z.string(),
    z.transform((text) =>
      text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).toWellFormed()}…`,
    ),
  );

/** Text that Twitch may leave out or set to null. */
const optionalText = (maxLength: number) =>
  z.pipe(
    z.nullish(shownText(maxLength)),
    z.transform((text) => text ?? ""),
  );

export const helixUserSchema = z.object({
  id: twitchUserIdSchema,
  login,
  display_name: optionalText(MAX_NAME_LENGTH),
  profile_image_url: z.nullish(z.string().check(z.maxLength(MAX_ADDRESS_LENGTH))),
  email: z.nullish(z.string().check(z.maxLength(MAX_EMAIL_LENGTH))),
  /** "partner", "affiliate" or empty. */
  broadcaster_type: optionalText(MAX_NAME_LENGTH),
});
export type HelixUser = z.infer<typeof helixUserSchema>;

export const helixVideoSchema = z.object({
  id: twitchVodIdSchema,
  stream_id: z.nullish(z.string()),
  user_id: twitchUserIdSchema,
  user_login: z.string().check(z.maxLength(MAX_NAME_LENGTH)),
  user_name: optionalText(MAX_NAME_LENGTH),
  title: optionalText(MAX_TITLE_LENGTH),
  created_at: z.iso.datetime({ offset: true }),
  thumbnail_url: z.nullish(z.string().check(z.maxLength(MAX_ADDRESS_LENGTH))),
  type: z.string().check(z.maxLength(MAX_NAME_LENGTH)),
  /** A duration in Go's format: `3h21m9s`; null or absent if Twitch does not know it. */
  duration: z.nullish(
    z.string().check(z.regex(/^(?:\d{1,6}h)?(?:\d{1,6}m)?(?:\d{1,9}(?:\.\d+)?s)?$/)),
  ),
  /** In seconds from the start; null or absent if nothing is muted. */
  muted_segments: z.nullish(z.array(z.object({ offset: z.number(), duration: z.number() }))),
});
export type HelixVideo = z.infer<typeof helixVideoSchema>;

/** Of a list: one invalid item, which becomes null, does not hide the others. */
export const helixListedVideoSchema = z.pipe(
  z.unknown(),
  z.transform((item) => helixVideoSchema.safeParse(item).data ?? null),
);

export const helixChannelSchema = z.object({
  broadcaster_id: twitchUserIdSchema,
  /** Empty if the channel has no category. */
  game_name: optionalText(MAX_TITLE_LENGTH),
});
export type HelixChannel = z.infer<typeof helixChannelSchema>;

export const helixStreamSchema = z.object({
  id: z.string().check(z.minLength(1), z.maxLength(MAX_NAME_LENGTH)),
  user_id: twitchUserIdSchema,
  title: optionalText(MAX_TITLE_LENGTH),
  started_at: z.nullish(z.iso.datetime({ offset: true })),
});
export type HelixStream = z.infer<typeof helixStreamSchema>;
