import {
  Ban,
  CircleCheck,
  EllipsisVertical,
  KeyRound,
  LogOut,
  ShieldCheck,
  Undo2,
} from "lucide-react";
import { DEFAULT_PAGE_SIZE } from "#contract/limits.ts";
import type { User } from "#contract/users.ts";
import { formatDateTime, formatPlural } from "#console/lib/format.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Avatar } from "#console/ui/avatar.tsx";
import { Badge } from "#console/ui/badge.tsx";
import { IconButton } from "#console/ui/button.tsx";
import { Menu, type MenuItem } from "#console/ui/menu.tsx";
import { SkeletonRows, Table, type SortOrder } from "#console/ui/list/table.tsx";
import type { OpenUserDialog } from "./user-dialog.tsx";
import { useChangeRefusal } from "./user-refusal.ts";
import styles from "./users-table.module.css";

export type UserSort = "lastLoginAt" | "displayName";

export function UsersTable({
  users,
  busy,
  sortBy,
  sortOrder,
  onSort,
  onDetails,
  onDialog,
}: {
  /** Undefined until the first answer. */
  readonly users: readonly User[] | undefined;
  readonly busy: boolean;
  readonly sortBy: UserSort;
  readonly sortOrder: SortOrder;
  readonly onSort: (sort: UserSort) => void;
  readonly onDetails: (user: User) => void;
  readonly onDialog: (dialog: OpenUserDialog) => void;
}) {
  function sortedBy(sort: UserSort) {
    return { order: sort === sortBy ? sortOrder : null, onSort: () => onSort(sort) };
  }
  const columns = [
    { id: "user", header: "User", sort: sortedBy("displayName") },
    { id: "role", header: "Role" },
    { id: "last-login", header: "Last Login", sort: sortedBy("lastLoginAt") },
    { id: "status", header: "Status" },
    { id: "actions", header: "Actions" },
  ] as const;
  return (
    <Table caption="Users" columns={columns} busy={busy} stacked>
      {users === undefined ? (
        <SkeletonRows rows={DEFAULT_PAGE_SIZE / 2} columns={columns.length} />
      ) : (
        users.map((user) => (
          <tr key={user.id}>
            <td data-wide="true">
              <UserIdentity user={user} onDetails={() => onDetails(user)} />
            </td>
            <td data-label="Role" data-grow="wide">
              <UserRole user={user} />
            </td>
            <td data-label="Last Login" data-grow="wide">
              <LastLogin at={user.lastLoginAt} />
            </td>
            <td data-label="Status" data-grow="true">
              <UserStatus user={user} />
            </td>
            <td>
              <UserMenu user={user} onDialog={onDialog} />
            </td>
          </tr>
        ))
      )}
    </Table>
  );
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
  const label = `Actions for ${visibleText(user.displayName)}`;
  return (
    <Menu
      label={label}
      items={items}
      renderTrigger={(props) => (
        <IconButton {...props} label={label}>
          <EllipsisVertical />
        </IconButton>
      )}
    />
  );
}
