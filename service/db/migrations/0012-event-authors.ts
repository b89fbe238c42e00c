import type { Migration } from "../migration.ts";

/** The user whose action caused an event; that user is not notified of it. */
export const eventAuthors: Migration = {
  name: "0012-event-authors",
  statements: [
    `CREATE TABLE IF NOT EXISTS notification_authors (
      event_seq INTEGER PRIMARY KEY REFERENCES notification_events (seq) ON DELETE CASCADE,
      user_id TEXT NOT NULL REFERENCES users (id)
    )`,
  ],
};
