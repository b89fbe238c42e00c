import type { Migration } from "../migration.ts";

/**
 * An upload leaves several audit entries, so that there are more of them than of anything else.
 * These answer every combination of the log's filters, in its order, without reading an entry.
 */
export const auditOrders: Migration = {
  name: "0011-audit-orders",
  statements: [
    `CREATE INDEX IF NOT EXISTS audit_by_action ON audit (action, seq, actor_id, result)`,
    `CREATE INDEX IF NOT EXISTS audit_by_actor ON audit (actor_id, seq, action, result)`,
    `DROP INDEX IF EXISTS audit_action`,
    `DROP INDEX IF EXISTS audit_actor`,
  ],
};
