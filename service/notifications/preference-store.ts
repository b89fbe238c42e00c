import * as z from "zod/mini";
import { EVENT_TYPES } from "#contract/notification-events.ts";
import {
  notificationPreferencesSchema,
  type NotificationPreferences,
} from "#contract/notifications.ts";
import { permissionSchema, type Permission } from "#contract/permissions.ts";
import { userIdSchema, type UserId } from "#contract/ids.ts";
import { jsonText } from "#service/db/json-text.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Row, Statement } from "#service/ports/database.ts";
import { EVENT_TYPE_INFO } from "./event-types.ts";

const preferenceRowSchema = z.object({
  telegram_user_id: z.nullable(z.string()),
  telegram_username: z.nullable(z.string()),
  email: z.nullable(z.string()),
  enabled_events: z.nullable(jsonText(notificationPreferencesSchema.shape.enabledEvents)),
});

/** The stored preferences, or the defaults for a user who never chose. */
export async function readPreferences(
  database: Database,
  userId: UserId,
): Promise<NotificationPreferences> {
  const [row] = await database.all(
    sql`SELECT * FROM notification_preferences WHERE user_id = ${userId}`,
  );
  return row === undefined ? { enabledEvents: defaultEvents() } : parsePreferences(row);
}

/** Whether others have saved this Telegram id, and this user has not. */
export async function isContactOfOthers(
  database: Database,
  userId: UserId,
  telegramUserId: string,
): Promise<boolean> {
  const savers = await database.all(sql`
    SELECT user_id FROM notification_preferences WHERE telegram_user_id = ${telegramUserId}`);
  return savers.length > 0 && savers.every((row) => row.user_id !== userId);
}

/** Replaces all preferences: events that are not listed are switched off. */
export function savePreferences(
  userId: UserId,
  preferences: NotificationPreferences,
  atMs: number,
): Statement {
  return sql`
    INSERT OR REPLACE INTO notification_preferences
      (user_id, telegram_user_id, telegram_username, email, enabled_events, updated_at)
    VALUES (${userId}, ${preferences.telegramUserId ?? null},
      ${preferences.telegramUsername ?? null}, ${preferences.email ?? null},
      ${JSON.stringify(preferences.enabledEvents)}, ${atMs})`;
}

export type Recipient = {
  readonly userId: UserId;
  readonly permissions: readonly Permission[];
  readonly preferences: NotificationPreferences;
};

/** Every administrator who is not banned. */
export async function readRecipients(database: Database): Promise<Recipient[]> {
  const rows = await database.all(sql`
    SELECT u.id, u.permissions, p.telegram_user_id, p.telegram_username, p.email, p.enabled_events
    FROM users u LEFT JOIN notification_preferences p ON p.user_id = u.id
    WHERE u.permissions <> '[]' AND u.banned_at IS NULL`);
  return rows.map((row) => {
    const user = recipientRowSchema.parse(row);
    return {
      userId: user.id,
      permissions: user.permissions,
      preferences: parsePreferences(row),
    };
  });
}

const recipientRowSchema = z.object({
  id: userIdSchema,
  permissions: jsonText(z.array(permissionSchema)),
});

function parsePreferences(row: Row): NotificationPreferences {
  const stored = preferenceRowSchema.parse(row);
  return {
    ...(stored.telegram_user_id === null ? {} : { telegramUserId: stored.telegram_user_id }),
    ...(stored.telegram_username === null ? {} : { telegramUsername: stored.telegram_username }),
    ...(stored.email === null ? {} : { email: stored.email }),
    enabledEvents: stored.enabled_events ?? defaultEvents(),
  };
}

function defaultEvents(): NotificationPreferences["enabledEvents"] {
  return Object.fromEntries(
    EVENT_TYPES.map((type) => [type, [...EVENT_TYPE_INFO[type].defaultChannels]]),
  );
}
