import type { Migration } from "../migration.ts";

/** Whether the store was claimed, and what the store refuses. */
export const storeStates: Migration = {
  name: "0021-store-states",
  statements: [
    // Null until this deployment's mark was seen in, or written to, the store.
    `ALTER TABLE deployment ADD COLUMN store_claimed_at INTEGER`,
    // Why the store refuses a removal, and since when; null while it has not refused.
    `ALTER TABLE store_removals ADD COLUMN refusal TEXT`,
    `ALTER TABLE store_removals ADD COLUMN refused_since_at INTEGER`,
    // Why the store refuses to read the file; null where it gave no reason.
    `ALTER TABLE unreadable_files ADD COLUMN refusal TEXT`,
  ],
};
