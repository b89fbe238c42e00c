import { Minus, Plus } from "lucide-react";
import { useId, useState } from "react";
import { PERMISSIONS, type Permission } from "#contract/permissions.ts";
import type { User } from "#contract/users.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { usePermissions } from "#console/lib/session.ts";
import { ActionDialog } from "#console/ui/action-dialog.tsx";
import { Badge } from "#console/ui/badge.tsx";
import { Button } from "#console/ui/button.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { Checkbox } from "#console/ui/checkbox.tsx";
import { visibleText } from "#console/lib/visible-text.ts";
import { DialogSubject } from "#console/ui/dialog.tsx";
import styles from "./permissions-dialog.module.css";
import { FAILURES, useUserActions } from "./user-actions.ts";
import { applyPreset, choosePermission, permissionDiff, roleChange } from "./user-rules.ts";

const PERMISSION_WORDS: Readonly<
  Record<Permission, { readonly label: string; readonly description: string }>
> = {
  "read:uploads": { label: "Read Uploads", description: "View upload logs and status" },
  "write:uploads": { label: "Write Uploads", description: "Retry, cancel, modify uploads" },
  "delete:uploads": {
    label: "Delete Uploads",
    description: "Permanently delete upload records and stored files",
  },
  "read:users": { label: "Read Users", description: "View accounts" },
  "write:users": { label: "Write Users", description: "Ban, unban, modify accounts" },
  "read:system": { label: "Read System", description: "View metrics and logs" },
  "write:system": {
    label: "Write System",
    description: "Clear cache, restart services, manage system",
  },
};

const PRESETS: readonly { label: string; permissions: readonly Permission[] }[] = [
  { label: "None", permissions: [] },
  { label: "Viewer", permissions: ["read:uploads", "read:users", "read:system"] },
  {
    label: "Operator",
    permissions: ["read:uploads", "write:uploads", "read:users", "read:system"],
  },
  { label: "Full access", permissions: PERMISSIONS },
];

const ROLE_NOTES = {
  promotion: "This makes them an administrator.",
  demotion: "This removes their access to the console.",
} as const;

/** The id tells similar names apart. */
export function UserSubject({ user }: { readonly user: User }) {
  return (
    <DialogSubject
      name={visibleText(user.displayName)}
      detail={`@${visibleText(user.login)} · Twitch ID ${user.twitchId}`}
    />
  );
}

/** The seven permissions of a user, with a summary of the changes. */
export function PermissionsDialog({
  user,
  onClose,
}: {
  readonly user: User;
  readonly onClose: () => void;
}) {
  const { changePermissions } = useUserActions();
  const saving = changePermissions.isPending;
  const held = usePermissions();
  const [chosen, setChosen] = useState<readonly Permission[]>(user.permissions);
  const { added, removed } = permissionDiff(user.permissions, chosen);
  const isChanged = added.length + removed.length > 0;
  function choose(permission: Permission, granted: boolean) {
    setChosen((before) => choosePermission(permission, granted, before, held));
  }
  return (
    <ActionDialog
      title="Manage Permissions"
      save={{
        ...changePermissions,
        mutate: () =>
          changePermissions.mutate({ user, permissions: [...chosen] }, { onSuccess: onClose }),
      }}
      label={saving ? "Saving..." : "Save Changes"}
      button={{ disabledReason: isChanged ? undefined : "Nothing has been changed." }}
      describeError={(error) => messageOf(error, FAILURES.permissions)}
      onClose={onClose}
    >
      <UserSubject user={user} />
      <div className="wrap" role="group" aria-label="Presets">
        {PRESETS.map(({ label, permissions }) => (
          <Button
            key={label}
            disabled={saving}
            onClick={() => setChosen((before) => applyPreset(permissions, before, held))}
          >
            {label}
          </Button>
        ))}
      </div>
      <ul className="stack">
        {PERMISSIONS.map((permission) => (
          <li key={permission}>
            <PermissionBox
              permission={permission}
              granted={chosen.includes(permission)}
              isHeld={held.includes(permission)}
              saving={saving}
              onChange={(granted) => choose(permission, granted)}
            />
          </li>
        ))}
      </ul>
      <PermissionChanges
        added={added}
        removed={removed}
        role={roleChange(user.permissions, chosen)}
      />
    </ActionDialog>
  );
}

function PermissionBox({
  permission,
  granted,
  isHeld,
  saving,
  onChange,
}: {
  readonly permission: Permission;
  readonly granted: boolean;
  /** Whether the administrator holds it and so may grant it. */
  readonly isHeld: boolean;
  readonly saving: boolean;
  readonly onChange: (granted: boolean) => void;
}) {
  const id = useId();
  const { label, description } = PERMISSION_WORDS[permission];
  return (
    <>
      <Checkbox
        checked={granted}
        disabled={saving || !isHeld}
        label={
          <>
            <span className="strong">{label}</span> <code className="note">{permission}</code>
          </>
        }
        describedBy={id}
        onChange={onChange}
      />
      <p id={id} className={classNames("tiny soft", styles.description)}>
        {description}
        {!isHeld && ". You don't hold it, so you can't change it."}
      </p>
    </>
  );
}

function PermissionChanges({
  added,
  removed,
  role,
}: {
  readonly added: readonly Permission[];
  readonly removed: readonly Permission[];
  readonly role: keyof typeof ROLE_NOTES | null;
}) {
  return (
    <div className={classNames("wrap box", styles.changes)} role="status">
      {added.map((permission) => (
        <Badge key={permission} tone="good" icon={<Plus aria-label="Adds" role="img" />}>
          {permission}
        </Badge>
      ))}
      {removed.map((permission) => (
        <Badge key={permission} tone="bad" icon={<Minus aria-label="Removes" role="img" />}>
          {permission}
        </Badge>
      ))}
      {role !== null && <span className="tiny soft">{ROLE_NOTES[role]}</span>}
      {added.length + removed.length === 0 && <span className="tiny soft">No changes yet.</span>}
    </div>
  );
}
