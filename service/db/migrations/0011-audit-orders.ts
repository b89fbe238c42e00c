import type { Migration } from "../migration.ts";

/**
 * The audit log is the largest list, because each upload leaves several entries. These indexes
 * cover every combination of its filters, in its order.
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
