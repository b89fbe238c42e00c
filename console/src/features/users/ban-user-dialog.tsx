import { useState } from "react";
import { MAX_BAN_REASON_LENGTH } from "#contract/limits.ts";
import type { User } from "#contract/users.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { TextField } from "#console/ui/text-field.tsx";
import { FAILURES } from "./user-actions.ts";
import { UserSubject } from "./user-subject.tsx";

/** Asks for an optional reason; cancelling does not ban. */
export function BanUserDialog({
  user,
  onBan,
  onClose,
}: {
  readonly user: User;
  readonly onBan: (reason: string) => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const [reason, setReason] = useState("");
  return (
    <ConfirmDialog
      title="Ban user"
      question="All their sessions end at once and their pending uploads are cancelled. Running uploads finish, and stored files stay."
      confirmLabel="Ban User"
      danger
      onConfirm={() => onBan(reason)}
      onClose={onClose}
      describeError={(error) => messageOf(error, FAILURES.ban)}
    >
      <UserSubject user={user} />
      <TextField
        label="Reason (optional)"
        hint="Shown beside the user and kept in the audit log"
        value={reason}
        maxLength={MAX_BAN_REASON_LENGTH}
        autoComplete="off"
        data-autofocus=""
        onChange={(event) => setReason(event.target.value)}
      />
    </ConfirmDialog>
  );
}
