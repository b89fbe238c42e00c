import type { User } from "#contract/users.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { formatPlural } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { DialogText } from "#console/ui/dialog.tsx";
import { BanUserDialog } from "./ban-user-dialog.tsx";
import { EraseUserDialog } from "./erase-user-dialog.tsx";
import { PermissionsDialog } from "./permissions-dialog.tsx";
import { FAILURES, useUserActions } from "./user-actions.ts";
import { UserSubject } from "./user-subject.tsx";

export type OpenUserDialog = {
  readonly kind: "permissions" | "ban" | "unban" | "end-sessions" | "erase";
  readonly user: User;
};

export function UserDialog({
  dialog: { kind, user },
  onClose,
}: {
  readonly dialog: OpenUserDialog;
  readonly onClose: () => void;
}) {
  const { changePermissions, ban, unban, endSessions, erase } = useUserActions();
  if (kind === "permissions") {
    return (
      <PermissionsDialog
        user={user}
        saving={changePermissions.isPending}
        failure={
          changePermissions.isError
            ? messageOf(changePermissions.error, FAILURES.permissions)
            : undefined
        }
        onSave={(permissions) =>
          changePermissions.mutate({ user, permissions }, { onSuccess: onClose })
        }
        onClose={onClose}
      />
    );
  }
  if (kind === "ban") {
    return (
      <BanUserDialog
        user={user}
        onBan={(reason) => ban.mutateAsync({ user, reason })}
        onClose={onClose}
      />
    );
  }
  if (kind === "erase") {
    return (
      <EraseUserDialog
        user={user}
        onErase={(inChats) => erase.mutateAsync({ user, inChats })}
        onClose={onClose}
      />
    );
  }
  if (kind === "end-sessions") {
    return (
      <ConfirmDialog
        title="Sign out everywhere"
        question={`Are you sure you want to end all sessions of ${visibleText(user.displayName)}?`}
        confirmLabel="Sign Out Everywhere"
        danger
        onConfirm={() => endSessions.mutateAsync(user)}
        onClose={onClose}
        describeError={(error) => messageOf(error, FAILURES.endSessions)}
      >
        <UserSubject user={user} />
        <DialogText>
          Their streams and downloads stop immediately. They can sign in again, and their uploads
          continue.
        </DialogText>
      </ConfirmDialog>
    );
  }
  return (
    <ConfirmDialog
      title="Unban user"
      question={`Are you sure you want to unban ${visibleText(user.displayName)}?`}
      confirmLabel="Unban User"
      onConfirm={() => unban.mutateAsync(user)}
      onClose={onClose}
      describeError={(error) => messageOf(error, FAILURES.unban)}
    >
      <UserSubject user={user} />
      <DialogText>
        {user.permissions.length === 0
          ? "They can sign in again."
          : `They can sign in again, with the ${formatPlural(user.permissions.length, "permission")} they held before.`}
      </DialogText>
    </ConfirmDialog>
  );
}
