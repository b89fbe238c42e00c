import { Ban, CircleCheck, KeyRound, LogOut, ShieldCheck, Undo2 } from "lucide-react";
import type { User } from "#contract/users.ts";
import { formatDateTime, formatPlural } from "#console/lib/format.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Avatar } from "#console/ui/avatar.tsx";
import { Badge } from "#console/ui/badge.tsx";
import type { Column } from "#console/ui/list/data-table.tsx";
import { RowMenu } from "#console/ui/list/row-menu.tsx";
import type { MenuItem } from "#console/ui/menu.tsx";
import type { OpenUserDialog } from "./user-dialog.tsx";
import { useChangeRefusal } from "./user-refusal.ts";
import styles from "./users-table.module.css";

export function userColumns(
  onDetails: (user: User) => void,
  onDialog: (dialog: OpenUserDialog) => void,
): readonly Column<User>[] {
  return [
    {
      id: "user",
      header: "User",
      cell: (user) => <UserIdentity user={user} onDetails={() => onDetails(user)} />,
      phone: "title",
      fixed: true,
      sort: { by: "name", first: "asc" },
    },
    {
      id: "role",
      header: "Role",
      cell: (user) => <UserRole user={user} />,
      phone: "grow",
      labelled: true,
    },
    {
      id: "last-login",
      header: "Last Login",
      cell: ({ lastLoginAt }) => <LastLogin at={lastLoginAt} />,
      className: styles.lastLogin,
      phone: "line",
      labelled: true,
      sort: { by: "login", first: "desc" },
    },
    {
      id: "status",
      header: "Status",
      cell: (user) => <UserStatus user={user} />,
      phone: "grow",
      labelled: true,
    },
    {
      id: "actions",
      header: "Actions",
      cell: (user) => <UserMenu user={user} onDialog={onDialog} />,
      phone: "corner",
      fixed: true,
    },
  ];
}

function UserIdentity({
  user,
  onDetails,
}: {
  readonly user: User;
  readonly onDetails: () => void;
}) {
  const name = visibleText(user.displayName);
  return (
    <div className={styles.identity}>
      <Avatar name={user.displayName} imageUrl={user.profileImageUrl} size={36} />
      <div className={styles.names}>
        <button
          type="button"
          className={styles.name}
          data-shortcut="row"
          aria-haspopup="dialog"
          onClick={onDetails}
        >
          {name}
        </button>
        <span className={styles.detail}>
          @{visibleText(user.login)}
          {user.email !== null && ` · ${visibleText(user.email)}`}
        </span>
      </div>
    </div>
  );
}

export function UserRole({ user }: { readonly user: User }) {
  if (!user.isAdmin) return <Badge>User</Badge>;
  return (
    <span className={styles.role}>
      <Badge tone="accent" icon={<ShieldCheck aria-hidden="true" />}>
        Administrator
      </Badge>
      <span className={styles.detail}>{formatPlural(user.permissions.length, "permission")}</span>
    </span>
  );
}

function LastLogin({ at }: { readonly at: string | null }) {
  if (at === null) return "Never";
  return (
    <time className={styles.time} dateTime={at}>
      {formatDateTime(new Date(at))}
    </time>
  );
}

export function UserStatus({ user }: { readonly user: User }) {
  if (!user.isBanned) {
    return (
      <Badge tone="good" icon={<CircleCheck aria-hidden="true" />}>
        Active
      </Badge>
    );
  }
  return (
    <span className={styles.role}>
      <Badge tone="bad" icon={<Ban aria-hidden="true" />}>
        Banned
      </Badge>
      {user.banReason !== null && (
        <span className={styles.reason}>{visibleText(user.banReason)}</span>
      )}
    </span>
  );
}

function UserMenu({
  user,
  onDialog,
}: {
  readonly user: User;
  readonly onDialog: (dialog: OpenUserDialog) => void;
}) {
  const refusal = useChangeRefusal(user);
  const missing = useMissingPermission("write:users");
  const items: readonly MenuItem[] = [
    {
      label: "Manage Permissions",
      icon: <KeyRound />,
      disabledReason: refusal,
      onSelect: () => onDialog({ kind: "permissions", user }),
    },
    {
      label: "Sign Out Everywhere",
      icon: <LogOut />,
      disabledReason: missing,
      onSelect: () => onDialog({ kind: "end-sessions", user }),
    },
    user.isBanned
      ? {
          label: "Unban User",
          icon: <Undo2 />,
          disabledReason: refusal,
          onSelect: () => onDialog({ kind: "unban", user }),
        }
      : {
          label: "Ban User",
          icon: <Ban />,
          danger: refusal === undefined,
          disabledReason: refusal,
          onSelect: () => onDialog({ kind: "ban", user }),
        },
  ];
  return <RowMenu name={visibleText(user.displayName)} items={items} />;
}
