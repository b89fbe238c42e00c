import type { Migration } from "../migration.ts";

/**
 * Increments a list's version when a row of this table is inserted, deleted or changed in one of
 * these columns.
 */
function counted(
  list: string,
  table: string,
  event: "INSERT" | "DELETE" | readonly string[],
): string {
  const isChange = typeof event !== "string";
  const name = `${table}_version_${list}_${isChange ? "changed" : event.toLowerCase()}`;
  const when = isChange
    ? `UPDATE OF ${event.join(", ")} ON ${table}
        WHEN ${event.map((column) => `old.${column} IS NOT new.${column}`).join(" OR ")}`
    : `${event} ON ${table}`;
  return `CREATE TRIGGER IF NOT EXISTS ${name} AFTER ${when} BEGIN
    UPDATE list_versions SET version = version + 1 WHERE list = '${list}';
  END`;
}

/**
 * A version for each list, incremented with every change of a column that the list can search,
 * filter or sort by. A page found at the current version is still valid.
 */
export const listVersions: Migration = {
  name: "0008-list-versions",
  statements: [
    `CREATE TABLE IF NOT EXISTS list_versions (
      list TEXT PRIMARY KEY,
      version INTEGER NOT NULL
    ) WITHOUT ROWID`,
    `INSERT INTO list_versions (list, version) VALUES ('uploads', 0), ('files', 0), ('users', 0)
      ON CONFLICT DO NOTHING`,
    counted("uploads", "uploads", "INSERT"),
    counted("uploads", "uploads", "DELETE"),
    counted("uploads", "uploads", [
      "filename",
      "title",
      "owner_id",
      "error_message",
      "status",
      "source_bytes",
      "failed_at",
      "failure_class",
    ]),
    // Uploads are searched by their owner's name.
    counted("uploads", "users", ["login", "display_name"]),
    counted("files", "files", "INSERT"),
    counted("files", "files", "DELETE"),
    counted("files", "files", [
      "filename",
      "object_key",
      "status",
      "upload_type",
      "size_bytes",
      "last_modified_at",
      "user_id",
    ]),
    // Files are sorted by their owners' names, and may be inserted before their owners.
    counted("files", "users", "INSERT"),
    counted("files", "users", ["login"]),
    counted("users", "users", "INSERT"),
    counted("users", "users", [
      "login",
      "display_name",
      "email",
      "permissions",
      "banned_at",
      "last_login_at",
      "created_at",
    ]),
  ],
};
