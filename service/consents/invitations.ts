import * as z from "zod/mini";
import type { ConsentPage, inviteOwner as inviteOwnerCall } from "#contract/consent.ts";
import type { BodyOf, DataOf } from "#contract/call.ts";
import { twitchUserIdSchema, type TwitchUserId } from "#contract/ids.ts";
import { ApiError } from "#service/api-error.ts";
import { hashToken, newToken } from "#service/auth/session-tokens.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { ServiceContext } from "#service/context.ts";
import { batchIf } from "#service/db/batch-if.ts";
import { instantColumn } from "#service/db/columns.ts";
import { sql } from "#service/db/sql.ts";
import type { Actor } from "#service/http/route.ts";
import type { Platform } from "#service/platform.ts";
import type { Statement } from "#service/ports/database.ts";
import type { SourceLookup } from "#service/uploads/source-lookup.ts";
import { storeNames } from "#service/storage/stored-name.ts";

/**
 * Links on which a channel's owner can agree to archiving. A link alone gives no right: only the
 * owner's own session can agree on it. A channel has at most one; a new one replaces it.
 */

/** Long enough to reach a person, short enough that a forgotten link does not stay open. */
const LIFE_MS = 14 * 24 * 3_600_000;

/** Keeps the table small, whatever a stolen session of an administrator does. */
const MAX_INVITATIONS = 1_000;

/**
 * Creates the link for the owner of an item, and ends the owner's last one.
 * @throws {ApiError} invalid_request (an item without an owner), not_found, upstream_error, conflict
 */
export async function inviteOwner(
  { platform, settings }: ServiceContext,
  lookup: SourceLookup,
  { source }: BodyOf<typeof inviteOwnerCall>,
  actor: Actor,
): Promise<DataOf<typeof inviteOwnerCall>> {
  const { database, clock, random, digests } = platform;
  const { owner } = await lookup.find(await lookup.identify(source));
  if (owner === null)
    throw new ApiError("invalid_request", "This source does not say whose video it is.", {
      details: { source: "has no owner who could be invited" },
    });
  const token = newToken(random);
  const nowMs = clock.now();
  const expiresAtMs = nowMs + LIFE_MS;
  const hasRoom = sql`(SELECT count(*) FROM consent_invitations
    WHERE owner_id <> ${owner.id} AND expires_at > ${nowMs}) < ${MAX_INVITATIONS}`;
  const results = await batchIf(database, hasRoom, [
    sql`DELETE FROM consent_invitations WHERE expires_at <= ${nowMs}`,
    ...storeNames([owner], "decided", nowMs),
    ...recordedChange(
      sql`INSERT INTO consent_invitations (owner_id, token_hash, created_by, created_at, expires_at)
        VALUES (${owner.id}, ${await hashToken(digests, token)}, ${actor.actorId}, ${nowMs},
          ${expiresAtMs})
        ON CONFLICT (owner_id) DO UPDATE SET token_hash = excluded.token_hash,
          created_by = excluded.created_by, created_at = excluded.created_at,
          expires_at = excluded.expires_at`,
      nowMs,
      { audit: { ...actor, action: "consent.invite", target: owner.id } },
    ),
  ]);
  if (results === null)
    throw new ApiError("conflict", "There are too many open invitations. Revoke one first.");
  return {
    channelId: twitchUserIdSchema.parse(owner.id),
    address: `${settings.CONSOLE_URL[0]}/consent/${token}`,
    expiresAt: new Date(expiresAtMs).toISOString(),
  };
}

/** Ends a channel's link, if it has one. */
export async function revokeInvitation(
  { database, clock }: Platform,
  channelId: TwitchUserId,
  actor: Actor,
): Promise<void> {
  await database.batch(
    recordedChange(
      sql`DELETE FROM consent_invitations WHERE owner_id = ${channelId}`,
      clock.now(),
      { audit: { ...actor, action: "consent.revoke_invitation", target: channelId } },
    ),
  );
}

const pageRow = z.object({
  id: twitchUserIdSchema,
  login: z.string(),
  display_name: z.string(),
  profile_image_url: z.nullable(z.string()),
  invited_by: z.string(),
  expires_at: instantColumn,
});

/** @throws {ApiError} not_found */
export async function readConsentPage(platform: Platform, token: string): Promise<ConsentPage> {
  const [found] = await platform.database.all(sql`
    SELECT o.id, o.login, o.display_name, o.profile_image_url, i.expires_at,
      a.display_name AS invited_by
    FROM consent_invitations i JOIN users o ON o.id = i.owner_id JOIN users a ON a.id = i.created_by
    WHERE ${await isOpenInvitation(platform, token)}`);
  if (found === undefined) throw noInvitation();
  const row = pageRow.parse(found);
  return {
    channel: {
      twitchId: row.id,
      login: row.login,
      displayName: row.display_name,
      profileImageUrl: row.profile_image_url,
    },
    invitedBy: row.invited_by,
    expiresAt: row.expires_at,
  };
}

/** Condition on `consent_invitations i`; those of a banned person are not open. */
export async function isOpenInvitation(
  { clock, digests }: Platform,
  token: string,
): Promise<Statement> {
  return sql`i.token_hash = ${await hashToken(digests, token)} AND i.expires_at > ${clock.now()}
    AND EXISTS (SELECT 1 FROM users WHERE users.id = i.created_by AND banned_at IS NULL)`;
}

export function noInvitation(): ApiError {
  return new ApiError(
    "not_found",
    "This link is not valid: it has expired or was replaced. Ask for a new one.",
  );
}
