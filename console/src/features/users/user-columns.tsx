import { Ban, CircleCheck, ShieldCheck } from "lucide-react";
import type { User } from "#contract/users.ts";
import { formatPlural } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Avatar } from "#console/ui/avatar.tsx";
import { Badge } from "#console/ui/badge.tsx";
import { classNames } from "#console/ui/class-names.ts";
import type { Column } from "#console/ui/list/data-table.tsx";
import { RowMenu } from "#console/ui/list/row-menu.tsx";
import { DateTime } from "#console/ui/time.tsx";
import { useUserActionItems } from "./user-action-items.tsx";
import type { OpenUserDialog } from "./user-dialog.tsx";
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
      sort: { by: "name", first: "asc" },
    },
    {
      id: "role",
      header: "Role",
      cell: (user) => <UserRole user={user} />,
      phone: "hidden",
    },
    {
      id: "last-login",
      header: "Last Login",
      cell: ({ lastLoginAt }) =>
        lastLoginAt === null ? "Never" : <DateTime at={lastLoginAt} className={styles.time} />,
      phone: "hidden",
      sort: { by: "login", first: "desc" },
    },
    {
      id: "status",
      header: "Status",
      cell: (user) => <UserStatus user={user} />,
      phone: "rest",
    },
    {
      id: "actions",
      header: "Actions",
      cell: (user) => <UserMenu user={user} onDialog={onDialog} />,
      phone: "corner",
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
    <div className={classNames("row gap3", styles.identity)}>
      <Avatar name={user.displayName} imageUrl={user.profileImageUrl} size={36} />
      <div className="stack gap0 left fill">
        <button
          type="button"
          className="nameButton"
          data-shortcut="row"
          aria-haspopup="dialog"
          onClick={onDetails}
        >
          {name}
        </button>
        <span className="note anywhere">
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
    <span className="wrap">
      <Badge tone="accent" icon={<ShieldCheck />}>
        Administrator
      </Badge>
      <span className="note anywhere">{formatPlural(user.permissions.length, "permission")}</span>
    </span>
  );
}

export function UserStatus({ user }: { readonly user: User }) {
  if (!user.isBanned) {
    return (
      <Badge tone="good" icon={<CircleCheck />}>
        Active
      </Badge>
    );
  }
  return (
    <span className="wrap">
      <Badge tone="bad" icon={<Ban />}>
        Banned
      </Badge>
      {user.banReason !== null && (
        <span className={classNames("note anywhere clamped", styles.reason)}>
          {visibleText(user.banReason)}
        </span>
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
  return (
    <RowMenu name={visibleText(user.displayName)} items={useUserActionItems(user, onDialog)} />
  );
}
