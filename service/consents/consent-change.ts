import { CONSENT_TEXT_VERSION, type Consent } from "#contract/consent.ts";
import type { TwitchUserId } from "#contract/ids.ts";
import { ApiError } from "#service/api-error.ts";
import type { NotificationEvent } from "#service/changes/notification-event.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import { batchIf } from "#service/db/batch-if.ts";
import { sql } from "#service/db/sql.ts";
import type { Actor } from "#service/http/route.ts";
import type { Platform } from "#service/platform.ts";
import type { Statement } from "#service/ports/database.ts";
import { changedUploads, continueArchives, pauseArchives } from "#service/storage/consent-pause.ts";
import { holdUploads } from "#service/storage/rule-hold.ts";
import { UPLOAD_STOPS_TOPIC } from "#service/storage/upload-actions.ts";
import { publishUploads } from "#service/storage/upload-events.ts";
import { findConsent } from "#service/storage/consent.ts";
import { isNotBanned } from "#service/uploads/ban-check.ts";
import { forgetConfirmation } from "#service/storage/rights-confirmation.ts";
import { isOpenInvitation, noInvitation, readConsentPage } from "./invitations.ts";

/**
 * The consent of a channel's owner.
 *
 * | From      | By                                            | To        |
 * | --------- | --------------------------------------------- | --------- |
 * | none      | the owner agrees on the page of an open link, or in the console | in force |
 * | in force  | the owner agrees to a newer text, likewise     | in force  |
 * | in force  | the owner withdraws, with or without a link   | withdrawn |
 * | withdrawn | the same                                      | in force  |
 *
 * Signing in changes nothing. While it is withdrawn, nothing starts on it, and the archives that
 * did are paused.
 */

/**
 * On the page of a link. Agreeing again to the text of a consent in force changes nothing.
 * @throws {ApiError} not_found (no such link), forbidden (another channel's), conflict (old text)
 */
export async function agree(
  platform: Platform,
  { token, textVersion }: { readonly token: string; readonly textVersion: number },
  actor: Actor,
): Promise<Consent | null> {
  const { channel } = await readConsentPage(platform, token);
  const ownerId: string = actor.actorId;
  if (channel.twitchId !== ownerId)
    throw new ApiError("forbidden", `Only ${channel.displayName} can agree on this page.`);
  const isInvited = sql`EXISTS (SELECT 1 FROM consent_invitations i
    WHERE i.owner_id = ${ownerId} AND ${await isOpenInvitation(platform, token)})`;
  const consent = await give(platform, { ...channel, textVersion }, isInvited, actor);
  if (consent === null) throw noInvitation();
  return consent;
}

/**
 * In the console, where the owner is signed in. Safe to repeat.
 * @throws {ApiError} unauthenticated (banned meanwhile), conflict (old text)
 */
export async function agreeForOwnChannel(
  platform: Platform,
  owner: { readonly displayName: string; readonly textVersion: number },
  actor: Actor,
): Promise<Consent> {
  const consent = await give(platform, owner, isNotBanned(actor.actorId), actor);
  if (consent === null) throw new ApiError("unauthenticated", "Please sign in.");
  return consent;
}

/** Null if the condition does not hold. */
async function give(
  platform: Platform,
  { displayName, textVersion }: { readonly displayName: string; readonly textVersion: number },
  condition: Statement,
  actor: Actor,
): Promise<Consent | null> {
  const { database, clock } = platform;
  const ownerId: string = actor.actorId;
  if (textVersion !== CONSENT_TEXT_VERSION)
    throw new ApiError("conflict", "The text has changed. Reload the page and read it again.");
  const nowMs = clock.now();
  const given = await findConsent(database, ownerId);
  if (given?.withdrawnAt === null && given.textVersion >= textVersion) return given;
  const results = await batchIf(database, condition, [
    ...recordedChange(
      sql`INSERT INTO consents (owner_id, text_version, agreed_at)
        VALUES (${ownerId}, ${textVersion}, ${nowMs})
        ON CONFLICT (owner_id) DO UPDATE SET text_version = excluded.text_version,
          agreed_at = excluded.agreed_at, withdrawn_at = NULL
          WHERE withdrawn_at IS NOT NULL OR text_version < excluded.text_version`,
      nowMs,
      {
        audit: { ...actor, action: "consent.agree", target: ownerId, after: { textVersion } },
        event: changeEvent(
          ownerId,
          `${displayName} agreed to archiving`,
          "VODs of this channel can be archived without a confirmation of the rights.",
        ),
      },
    ),
    continueArchives(ownerId, nowMs),
  ]);
  if (results === null) return null;
  await publishUploads(platform, changedUploads(results.at(-1)?.rows).slice(0, TOLD_AT_ONCE));
  return await findConsent(database, ownerId);
}

/** Withdrawing without a consent in force changes nothing. */
export async function withdraw(
  platform: Platform,
  login: string,
  actor: Actor,
): Promise<Consent | null> {
  const { database, clock } = platform;
  const ownerId = actor.actorId;
  const nowMs = clock.now();
  const isGiven = sql`EXISTS (SELECT 1 FROM consents
    WHERE owner_id = ${ownerId} AND withdrawn_at IS NULL)`;
  const results = await batchIf(
    database,
    isGiven,
    [
      ...pauseArchives(ownerId, nowMs),
      // Whoever confirmed before may not have known of the owner's wish.
      sql`DELETE FROM rights_confirmations WHERE owner_id = ${ownerId}`,
      ...recordedChange(
        sql`UPDATE consents SET withdrawn_at = ${nowMs} WHERE owner_id = ${ownerId}`,
        nowMs,
        {
          audit: { ...actor, action: "consent.withdraw", target: ownerId },
          event: changeEvent(
            ownerId,
            `@${login} withdrew consent to archiving`,
            "Archives that rest on it are paused. Stored files stay until someone deletes them.",
          ),
        },
      ),
    ],
    { isEssential: true },
  );
  if (results !== null) {
    const paused = changedUploads(results[0]?.rows).slice(0, TOLD_AT_ONCE);
    for (const id of paused) await platform.hub.publish(UPLOAD_STOPS_TOPIC, id);
    await holdUploads(platform);
    await publishUploads(platform, paused);
  }
  return await findConsent(database, ownerId);
}

/**
 * Ends an administrator's own confirmation for a channel, if there is one. What a rule archives on it
 * stops; what is stored stays.
 */
export async function revokeConfirmation(
  platform: Platform,
  channelId: TwitchUserId,
  actor: Actor,
): Promise<void> {
  await platform.database.batch(
    recordedChange(forgetConfirmation(channelId, actor.actorId), platform.clock.now(), {
      audit: { ...actor, action: "consent.revoke_confirmation", target: channelId },
    }),
  );
  await holdUploads(platform);
}

/**
 * The answer waits for this many messages, a few tenths of a second. A runner that misses its own
 * stops at its next write, and a console reads the lists again.
 */
const TOLD_AT_ONCE = 100;

/** For administrators who may see uploads. */
function changeEvent(ownerId: string, title: string, body: string): NotificationEvent {
  return { type: "consent_changed", subject: ownerId, title, body, link: "/uploads" };
}
