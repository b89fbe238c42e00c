import type { Migration } from "../migration.ts";

/** The id that distinguishes this deployment from others that can reach its object store. */
export const deployment: Migration = {
  name: "0018-deployment",
  statements: [
    `CREATE TABLE IF NOT EXISTS deployment (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      deployment_id TEXT NOT NULL
    )`,
  ],
};
