import { visibleText } from "#console/lib/visible-text.ts";

/** Actions offered as filters; the service may record others. */
const ACTION_LABELS: Readonly<Record<string, string>> = {
  "access.refuse": "Access refused",
  "audit.export": "Audit log exported",
  "audit.prune": "Old audit entries deleted",
  "audit.replace_key": "Secret key replaced",
  "backup.start": "Backup started",
  "cache.clear": "Cache cleared",
  "channel.add": "Channel added",
  "channel.change": "Channel's rule changed",
  "channel.check": "Channel's list asked for",
  "channel.decide": "VODs to archive or not",
  "channel.remove": "Channel removed",
  "channels.default": "Default rule changed",
  "channels.pause": "All rules paused or resumed",
  "consent.agree": "Owner agreed to archiving",
  "consent.invite": "Invitation link created",
  "consent.revoke_confirmation": "Confirmation of rights revoked",
  "clock.confirm": "Clock confirmed",
  "consent.revoke_invitation": "Invitation link revoked",
  "consent.withdraw": "Owner withdrew consent",
  "cost.acknowledge": "Cost alert acknowledged",
  "cost.alert": "Cost alert raised",
  "cost.budget": "Budget changed",
  "cost.threshold": "Threshold changed",
  "database.restore": "Database restored",
  "database.seed": "Database seeded",
  "file.damage": "Damaged file found",
  "file.delete": "File deleted",
  "file.download": "File downloaded",
  "file.forget": "Missing file removed from the list",
  "file.lock": "File locked",
  "file.missing": "Missing file found",
  "file.recover": "Damaged file sound again",
  "file.play": "File played",
  "file.orphan": "Orphaned file found",
  "file.restore": "File restored from the trash",
  "file.trash": "File moved to the trash",
  "file.unlock": "File unlocked",
  "file.verify": "Verification of a file asked for",
  "index.rebuild": "Database rebuilt from storage",
  "notification.preferences": "Notification preferences changed",
  "notification.read": "Notifications read",
  "notification.test": "Test message sent",
  "session.end": "Signed out",
  "session.end_all": "Sessions ended",
  "session.open": "Signed in",
  "session.revoke": "Session revoked",
  "setup.administrator": "First administrator set up",
  "setup.twitch": "Twitch application set up",
  "store.verify": "Verification of all files asked for",
  "token.create": "API token made",
  "token.revoke": "API token revoked",
  "upload.cancel": "Upload cancelled",
  "upload.chat": "Chat read again",
  "upload.chat_end": "Chat ended",
  "upload.complete": "Upload completed",
  "upload.delete": "Upload deleted",
  "upload.expire": "Unfinished upload expired",
  "upload.fail": "Upload failed",
  "upload.retry": "Upload retried",
  "upload.stall": "Upload stalled",
  "upload.start": "Upload started",
  "upload.thumbnail": "Thumbnail added",
  "user.ban": "User banned",
  "user.erase": "User erased",
  "user.erase_chat": "Name in chats erased",
  "user.permissions": "Permissions changed",
  "user.unban": "User unbanned",
  "webhook.change": "Webhook changed",
  "webhook.delete": "Webhook deleted",
  "webhook.make": "Webhook added",
  "webhook.off": "Webhook switched off",
  "webhook.rotate": "Webhook secret replaced",
  "webhook.test": "Webhook tested",
  "system.examine": "Checks run",
  "workers.restart": "Workers restarted",
};

/** Labels of the service's reasons for ending a session. */
const SESSION_ENDS: Readonly<Record<string, string>> = {
  signed_out: "By the user",
  expired: "Expired",
  replaced: "Replaced by another sign-in",
  banned: "The user was banned",
  bearer_reused: "A replaced bearer token was used again",
  disconnected_at_twitch: "The app was disconnected at Twitch",
  twitch_token_unreadable: "Its Twitch token could not be decrypted",
  too_many: "The oldest session of a user with too many",
};

/** The reason as a sentence: an administrator's own text, or the label of a session's end. */
export function reasonText(action: string, reason: string): string {
  const known = action.startsWith("session.") ? SESSION_ENDS[reason] : undefined;
  return known ?? visibleText(reason);
}

export function actionLabel(action: string): string {
  return ACTION_LABELS[action] ?? action;
}

/** The known actions, and the one in the address. */
export function actionOptions(chosen: string | undefined) {
  const known = Object.keys(ACTION_LABELS);
  const actions = chosen === undefined || known.includes(chosen) ? known : [...known, chosen];
  return actions.map((action) => ({ value: action, label: actionLabel(action) }));
}
