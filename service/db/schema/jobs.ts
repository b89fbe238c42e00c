import type { Migration } from "../migration.ts";

/** Work that waits. service/jobs/jobs.ts has its states. */
export const jobs: Migration = {
  name: "0011-jobs",
  statements: [
    `CREATE TABLE jobs (
      kind TEXT NOT NULL,                      -- as in jobs/job-kinds.ts
      key TEXT NOT NULL,                       -- what it is about, e.g. an upload's id
      due_at INTEGER NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0,     -- begun in a row and not succeeded
      epoch INTEGER NOT NULL DEFAULT 0,        -- drawn anew with every lease; a write with another is refused
      lease_until INTEGER,
      error TEXT,                              -- why the last try failed, as a sentence
      failing_since_at INTEGER,                -- of the first of these failures in a row
      PRIMARY KEY (kind, key)
    ) WITHOUT ROWID`,
    // Waiting ones in their order; those that run, by the end of their leases.
    `CREATE INDEX jobs_due ON jobs (kind, lease_until, due_at)`,
  ],
};
