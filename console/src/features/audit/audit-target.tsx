import { Link } from "@tanstack/react-router";
import type { AuditEntry } from "#contract/audit.ts";
import { objectKeySchema } from "#contract/files.ts";
import { userIdSchema } from "#contract/ids.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import styles from "./audit.module.css";

/** The target of an action, linked where the console shows it. */
export function AuditTarget({ entry }: { readonly entry: Pick<AuditEntry, "action" | "target"> }) {
  const { action, target } = entry;
  if (target === null) return <span className={styles.faint}>—</span>;
  const [kind] = action.split(".");
  const text = <code className={styles.target}>{visibleText(target)}</code>;
  const userId = userIdSchema.safeParse(target);
  const key = objectKeySchema.safeParse(target);
  if (kind === "upload" && action !== "upload.delete") {
    return (
      <Link to="/uploads" search={{ upload: target }}>
        {text}
      </Link>
    );
  }
  if ((kind === "user" || kind === "consent") && userId.success) {
    return (
      <Link to="/users" search={{ user: userId.data }}>
        {text}
      </Link>
    );
  }
  if (action === "file.download" && key.success) {
    return (
      <Link to="/files" search={{ file: key.data }}>
        {text}
      </Link>
    );
  }
  return text;
}
