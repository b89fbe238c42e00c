import * as z from "zod/mini";
import { redirectSchema, tokenSchema } from "./auth.ts";
import { defineCall } from "./call.ts";
import { twitchUserIdSchema } from "./ids.ts";
import { archiveSourceSchema } from "./uploads.ts";
import { instantSchema } from "./values.ts";

/**
 * The version of the text that an owner agrees to (console/src/domain/consent/consent-text.ts). It
 * grows with every change of what the text says, so that each consent names what was agreed to.
 */
export const CONSENT_TEXT_VERSION = 2;

/** The first version that says that media servers of the operator may play the videos. */
export const LIBRARY_TEXT_VERSION = 2;

/** A channel owner's consent to archiving. Only agreeing to the text gives it; signing in does not. */
export const consentSchema = z.object({
  textVersion: z.int(),
  agreedAt: instantSchema,
  /** Null while the consent is in force. */
  withdrawnAt: z.nullable(instantSchema),
});
export type Consent = z.infer<typeof consentSchema>;

/** An administrator's own word, remembered for a channel until it is revoked or consent withdrawn. */
export const rightsConfirmationSchema = z.object({
  /** May be empty. */
  reason: z.string(),
  confirmedAt: instantSchema,
});

/** The newest consent of the session's own user; null if there never was one. */
const ownConsentSchema = z.object({ consent: z.nullable(consentSchema) });

/** What anyone who has the link may read: not whether the owner has agreed. */
export const consentPageSchema = z.object({
  channel: z.object({
    twitchId: twitchUserIdSchema,
    login: z.string(),
    displayName: z.string(),
    profileImageUrl: z.nullable(z.string()),
  }),
  /** The display name of the administrator who created the link. */
  invitedBy: z.string(),
  expiresAt: instantSchema,
});
export type ConsentPage = z.infer<typeof consentPageSchema>;

export const inviteOwner = defineCall({
  method: "POST",
  path: "/admin/consent/invitations",
  policy: "write:uploads",
  summary: "Create the link on which a VOD's owner can agree to archiving; ends the channel's last",
  body: z.strictObject({ source: archiveSourceSchema }),
  data: z.object({
    channelId: twitchUserIdSchema,
    /** The page's address with its token, which is not readable later. */
    address: z.url(),
    expiresAt: instantSchema,
  }),
  successStatus: 201,
});

export const revokeInvitation = defineCall({
  method: "DELETE",
  path: "/admin/consent/invitations/{channelId}",
  policy: "write:uploads",
  summary: "End a channel's link; a consent given on it stays. Safe to repeat",
  params: z.object({ channelId: twitchUserIdSchema }),
  data: z.object({}),
});

export const revokeConfirmation = defineCall({
  method: "DELETE",
  path: "/admin/consent/confirmations/{channelId}",
  policy: "write:uploads",
  summary: "Forget the own confirmation of the rights to a channel's videos. Safe to repeat",
  params: z.object({ channelId: twitchUserIdSchema }),
  data: z.object({}),
});

export const readConsentPage = defineCall({
  method: "GET",
  path: "/admin/consent/pages/{token}",
  policy: "public",
  summary: "Whose consent a link asks for, and who created it",
  params: z.object({ token: tokenSchema }),
  data: consentPageSchema,
});

export const agree = defineCall({
  method: "POST",
  path: "/admin/consent/pages/{token}/agree",
  policy: "session",
  summary: "The channel's owner agrees to archiving; safe to repeat",
  params: z.object({ token: tokenSchema }),
  body: z.strictObject({ textVersion: z.int().check(z.minimum(1), z.maximum(1_000_000)) }),
  data: ownConsentSchema,
});

export const agreeForOwnChannel = defineCall({
  method: "POST",
  path: "/admin/consent",
  policy: "session",
  summary: "Agree to archiving the own channel, without a link; safe to repeat",
  body: z.strictObject({ textVersion: z.int().check(z.minimum(1), z.maximum(1_000_000)) }),
  data: ownConsentSchema,
});

export const readOwnConsent = defineCall({
  method: "GET",
  path: "/admin/consent",
  policy: "session",
  summary: "The own consent to archiving",
  data: ownConsentSchema,
});

export const withdraw = defineCall({
  method: "DELETE",
  path: "/admin/consent",
  policy: "session",
  summary: "Withdraw the own consent: pauses the archives that rest on it. Safe to repeat",
  data: ownConsentSchema,
});

export const withdrawBySignIn = defineCall({
  method: "POST",
  path: "/admin/consent/withdrawal",
  policy: "public",
  summary:
    "Withdraw the consent of the account that Twitch's redirect proves, without a session: for people who are banned",
  body: redirectSchema,
  data: z.object({}),
});
