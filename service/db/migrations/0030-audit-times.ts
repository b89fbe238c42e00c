import type { Migration } from "../migration.ts";

/** The audit log by span of time. */
export const auditTimes: Migration = {
  name: "0030-audit-times",
  statements: [`CREATE INDEX audit_by_time ON audit (at)`],
};
