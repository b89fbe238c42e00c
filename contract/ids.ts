import * as z from "zod/mini";

/**
 * Ids are opaque strings on the wire. Each kind has its own brand, so that an upload's id is not
 * accepted as a user's.
 */
const opaqueId = z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/, "is not a valid id"));

export const uploadIdSchema = opaqueId.brand<"UploadId">();
export type UploadId = z.infer<typeof uploadIdSchema>;

export const userIdSchema = opaqueId.brand<"UserId">();
export type UserId = z.infer<typeof userIdSchema>;

export const alertIdSchema = opaqueId.brand<"AlertId">();
export type AlertId = z.infer<typeof alertIdSchema>;

export const thresholdIdSchema = opaqueId.brand<"ThresholdId">();
export type ThresholdId = z.infer<typeof thresholdIdSchema>;

export const notificationIdSchema = opaqueId.brand<"NotificationId">();
export type NotificationId = z.infer<typeof notificationIdSchema>;

/** Twitch ids are decimal numbers kept as strings (Helix guide: ids are opaque strings). */
const twitchNumber = z.string().check(z.regex(/^[1-9]\d{0,19}$/, "is not a Twitch id"));

export const twitchUserIdSchema = twitchNumber.brand<"TwitchUserId">();
export type TwitchUserId = z.infer<typeof twitchUserIdSchema>;

export const twitchVodIdSchema = twitchNumber.brand<"TwitchVodId">();
export type TwitchVodId = z.infer<typeof twitchVodIdSchema>;
