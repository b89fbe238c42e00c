import type { DataOf } from "#contract/call.ts";
import type { previewErasure, User } from "#contract/users.ts";
import type { UserId } from "#contract/ids.ts";
import { endTokens } from "#service/auth/token-access.ts";
import { COUNT_CHATS } from "#service/chat/chat-erasure-request.ts";
import type { AuditActor } from "#service/changes/audit-entry.ts";
import type { ServiceContext } from "#service/context.ts";
import { stopFollowing } from "#service/channels/channel-change.ts";
import { sql } from "#service/db/sql.ts";
import { plan } from "#service/jobs/jobs.ts";
import type { Statement } from "#service/ports/database.ts";
import { pauseArchives } from "#service/storage/consent-pause.ts";
import { erasedLogin } from "#service/storage/stored-name.ts";
import { changeUser, type UserChangeInput } from "./user-change.ts";
import { requireUser } from "./user-store.ts";

/** The rows about a person that an erasure deletes, in an order that foreign keys allow. */
function personalRows(id: UserId) {
  return {
    sessions: sql`sessions WHERE user_id = ${id}`,
    confirmations: sql`rights_confirmations WHERE owner_id = ${id} OR confirmed_by = ${id}`,
    invitations: sql`consent_invitations WHERE owner_id = ${id}`,
    contacts: sql`notification_preferences WHERE user_id = ${id}`,
    messages: sql`notification_deliveries WHERE receiver = ${id}`,
    // Of bans, permissions, consent and the channel: they may contain the name. The subject of these
    // two is a VOD, which may have the same number.
    mentions: sql`notification_events WHERE subject = ${id}
      AND type NOT IN ('vod_in_danger', 'vod_lost')`,
  };
}

/** What {@link eraseUser} would delete, and what it would keep. Changes nothing. */
export async function readErasure(
  context: ServiceContext,
  id: UserId,
): Promise<DataOf<typeof previewErasure>> {
  await requireUser(context, id);
  const { sessions, contacts, messages, mentions } = personalRows(id);
  const channel = sql`SELECT o.display_name FROM channels c JOIN users o ON o.id = c.owner_id
    WHERE c.owner_id = ${id}`;
  const [row = {}] = await context.platform.database.all(sql`SELECT
    (SELECT count(*) FROM ${sessions}) AS sessions,
    (SELECT count(*) FROM ${contacts}) AS contacts,
    (SELECT count(*) FROM ${messages}) + (SELECT count(*) FROM ${mentions}) AS messages,
    (${channel}) AS followedChannel, EXISTS (SELECT 1 FROM consents
      WHERE owner_id = ${id} AND withdrawn_at IS NULL) AS hasConsent,
    (SELECT count(*) FROM uploads WHERE owner_id = ${id}) AS keptUploads, (${COUNT_CHATS}) AS chatReplays`);
  return {
    sessions: Number(row["sessions"]),
    contacts: Number(row["contacts"]),
    messages: Number(row["messages"]),
    followedChannel: typeof row["followedChannel"] === "string" ? row["followedChannel"] : null,
    hasConsent: row["hasConsent"] === 1,
    keptUploads: Number(row["keptUploads"]),
    chatReplays: Number(row["chatReplays"]),
  };
}

/**
 * Erases a person's name, address, picture, contacts, sessions and permissions, withdraws their
 * consent, and stops following their channel. The numeric id remains, to which uploads, consents and
 * audit entries refer, and a ban (docs/security.md#erasure). Idempotent; stored-name.ts says what
 * stores the name again.
 * @throws {ApiError} not_found, forbidden, conflict (the last administrator)
 */
export async function eraseUser(context: ServiceContext, input: UserChangeInput): Promise<User> {
  return await changeUser(context, input, {
    action: "user.erase",
    after: (target) => ({ id: target.id, permissions: [], isBanned: target.isBanned }),
    isDone: (target) => target.login === erasedLogin(target.id),
    assignments: () => erasedColumns(input.targetId),
    audit: (target) => ({
      before: { permissions: target.permissions },
      after: { permissions: [], isErased: true },
    }),
    notification: (actor, target) => ({
      type: "administrator_changed",
      subject: null,
      title: `The data of user ${target.id} was erased`,
      body: `${actor.displayName} erased the personal data of the user with the Twitch id ${target.id}.`,
      link: `/users?search=${target.id}`,
    }),
    consequences: ({ id }, atMs) => consequences(id, input, atMs),
  });
}

/** For a restored database, which still has a person who was erased since. Safe to repeat. */
export function eraseAgain(id: UserId, atMs: number): readonly Statement[] {
  return [
    sql`UPDATE users SET version = version + 1, ${erasedColumns(id)} WHERE id = ${id}`,
    endTokens,
    ...consequences(id, { actorId: null, requestId: null }, atMs),
  ];
}

function erasedColumns(id: UserId): Statement {
  return sql`login = ${erasedLogin(id)}, display_name = 'Erased user', email = NULL,
    profile_image_url = NULL, permissions = '[]', ban_reason = NULL, last_login_at = NULL`;
}

function consequences(id: UserId, actor: AuditActor, atMs: number): readonly Statement[] {
  return [
    ...Object.values(personalRows(id)).map((rows) => sql`DELETE FROM ${rows}`),
    ...stopFollowing(id, actor, atMs),
    plan("reindex", id, atMs),
    ...pauseArchives(id, atMs),
    sql`UPDATE consents SET withdrawn_at = ${atMs}
      WHERE owner_id = ${id} AND withdrawn_at IS NULL`,
    // A deleted row's text stays in the index until its segments are merged.
    sql`INSERT INTO user_search (user_search) VALUES ('optimize')`,
  ];
}
