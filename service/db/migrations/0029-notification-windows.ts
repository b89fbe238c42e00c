import type { Migration } from "../migration.ts";

/** One delivery stands for all events of one type and cause within a window of ten minutes. */
export const notificationWindows: Migration = {
  name: "0029-notification-windows",
  statements: [
    `ALTER TABLE notification_events ADD COLUMN cause TEXT`,
    `ALTER TABLE notification_deliveries ADD COLUMN events INTEGER NOT NULL DEFAULT 1`,
    `ALTER TABLE notification_deliveries ADD COLUMN window_ends_at INTEGER`,
    `CREATE INDEX notification_deliveries_window
      ON notification_deliveries (user_id, channel, window_ends_at)
      WHERE window_ends_at IS NOT NULL`,
  ],
};
