import { Link, type LinkProps } from "@tanstack/react-router";
import type { AuditEntry } from "#contract/audit.ts";
import { objectKeySchema } from "#contract/files.ts";
import { userIdSchema } from "#contract/ids.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import styles from "./audit.module.css";

/** The target of an action by its name, linked where the console shows it, or else its id. */
export function AuditTarget({ entry }: { readonly entry: AuditEntry }) {
  const { target, targetName } = entry;
  if (target === null) return <span className={styles.faint}>—</span>;
  const link = linkOf(entry, target);
  const text =
    targetName === null ? (
      <code className={styles.target}>{visibleText(target)}</code>
    ) : (
      <span title={visibleText(target)}>{visibleText(targetName)}</span>
    );
  return link === null ? text : <Link {...link}>{text}</Link>;
}

function linkOf({ action, targetName }: AuditEntry, target: string): LinkProps | null {
  const [kind] = action.split(".");
  const userId = userIdSchema.safeParse(target);
  const key = objectKeySchema.safeParse(target);
  if (kind === "upload" && action !== "upload.delete")
    return { to: "/uploads", search: { upload: target } };
  if ((kind === "user" || kind === "consent" || targetName !== null) && userId.success)
    return { to: "/users", search: { user: userId.data } };
  if (kind === "file" && (targetName !== null || action === "file.download") && key.success)
    return { to: "/files", search: { file: key.data } };
  return null;
}
