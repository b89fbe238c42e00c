import { useState } from "react";
import { MAX_BAN_REASON_LENGTH } from "#contract/limits.ts";
import type { User } from "#contract/users.ts";
import { Button } from "#console/ui/button.tsx";
import { Dialog, DialogError, DialogText } from "#console/ui/dialog.tsx";
import { TextField } from "#console/ui/text-field.tsx";
import { UserSubject } from "./user-subject.tsx";

/** Asks for an optional reason; cancelling does not ban. */
export function BanUserDialog({
  user,
  busy,
  failure,
  onBan,
  onClose,
}: {
  readonly user: User;
  readonly busy: boolean;
  readonly failure: string | undefined;
  readonly onBan: (reason: string) => void;
  readonly onClose: () => void;
}) {
  const [reason, setReason] = useState("");
  return (
    <Dialog
      title="Ban user"
      dismissible={!busy}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose} disabled={busy}>
            Cancel
          </Button>
          <Button kind="danger" busy={busy} onClick={() => onBan(reason)}>
            Ban User
          </Button>
        </>
      }
    >
      <UserSubject user={user} />
      <DialogText>
        All their sessions end at once and their pending uploads are cancelled. Running uploads
        finish, and stored files stay.
      </DialogText>
      <TextField
        label="Reason (optional)"
        hint="Shown beside the user and kept in the audit log"
        value={reason}
        maxLength={MAX_BAN_REASON_LENGTH}
        autoComplete="off"
        data-autofocus=""
        onChange={(event) => setReason(event.target.value)}
      />
      {failure !== undefined && <DialogError>{failure}</DialogError>}
    </Dialog>
  );
}
