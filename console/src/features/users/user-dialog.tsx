import { useQuery } from "@tanstack/react-query";
import { useState, type ComponentProps } from "react";
import type { DataOf } from "#contract/call.ts";
import { MAX_BAN_REASON_LENGTH } from "#contract/limits.ts";
import { previewErasure, type User } from "#contract/users.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { callQuery } from "#console/lib/call-query.ts";
import { formatPlural } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Checkbox } from "#console/ui/checkbox.tsx";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { DialogText } from "#console/ui/dialog.tsx";
import { QueryBody } from "#console/ui/query-body.tsx";
import { TextField } from "#console/ui/text-field.tsx";
import { PermissionsDialog, UserSubject } from "./permissions-dialog.tsx";
import { FAILURES, useUserActions } from "./user-actions.ts";

export type OpenUserDialog = {
  readonly kind: "permissions" | "ban" | "unban" | "endSessions" | "erase";
  readonly user: User;
};

type Confirmation = Pick<
  ComponentProps<typeof ConfirmDialog>,
  "title" | "typed" | "question" | "confirmLabel" | "danger" | "onConfirm" | "children"
>;

export function UserDialog({
  dialog: { kind, user },
  onClose,
}: {
  readonly dialog: OpenUserDialog;
  readonly onClose: () => void;
}) {
  const { ban, unban, endSessions, erase } = useUserActions();
  const [reason, setReason] = useState("");
  const [inChats, setInChats] = useState(false);
  if (kind === "permissions") return <PermissionsDialog user={user} onClose={onClose} />;
  const name = visibleText(user.displayName);
  const held = user.permissions.length;
  const confirmations: Readonly<Record<typeof kind, Confirmation>> = {
    ban: {
      title: "Ban user",
      question:
        "All their sessions end at once and their pending uploads are cancelled. Running uploads finish, and stored files stay.",
      confirmLabel: "Ban User",
      danger: true,
      onConfirm: () => ban.mutateAsync({ user, reason }),
      children: (
        <TextField
          label="Reason (optional)"
          hint="Shown beside the user and kept in the audit log"
          value={reason}
          maxLength={MAX_BAN_REASON_LENGTH}
          data-autofocus=""
          onChange={(event) => setReason(event.target.value)}
        />
      ),
    },
    unban: {
      title: "Unban user",
      question: `Are you sure you want to unban ${name}?`,
      confirmLabel: "Unban User",
      onConfirm: () => unban.mutateAsync(user),
      children: (
        <DialogText>
          They can sign in again
          {held > 0 && `, with the ${formatPlural(held, "permission")} they held before`}.
        </DialogText>
      ),
    },
    endSessions: {
      title: "Sign out everywhere",
      question: `Are you sure you want to end all sessions of ${name}?`,
      confirmLabel: "Sign Out Everywhere",
      danger: true,
      onConfirm: () => endSessions.mutateAsync(user),
      children: (
        <DialogText>
          Their streams and downloads stop immediately. They can sign in again, and their uploads
          continue.
        </DialogText>
      ),
    },
    erase: {
      title: "Erase personal data",
      question:
        "Name, mail address, picture and permissions are deleted for good. The numeric Twitch ID stays, for the audit log and for a ban.",
      confirmLabel: "Erase",
      typed: user.login,
      danger: true,
      onConfirm: () => erase.mutateAsync({ user, inChats }),
      children: <Erasure user={user} inChats={inChats} onInChats={setInChats} />,
    },
  };
  const { children, ...confirmation } = confirmations[kind];
  return (
    <ConfirmDialog
      {...confirmation}
      onClose={onClose}
      describeError={(error) => messageOf(error, FAILURES[kind])}
    >
      <UserSubject user={user} />
      {children}
    </ConfirmDialog>
  );
}

/** What an erasure would delete and keep. */
function Erasure({
  user,
  inChats,
  onInChats,
}: {
  readonly user: User;
  readonly inChats: boolean;
  readonly onInChats: (inChats: boolean) => void;
}) {
  const preview = useQuery(callQuery(previewErasure, { params: { id: user.id } }));
  return (
    <QueryBody query={preview} skeleton={<DialogText>Looking up what is stored…</DialogText>}>
      {(erasure) => (
        <>
          <DialogText>{describeErasure(erasure)}</DialogText>
          {erasure.chatReplays > 0 && (
            <Checkbox
              label={`Replace the name in ${formatPlural(erasure.chatReplays, "chat replay")}, too`}
              checked={inChats}
              onChange={onInChats}
            />
          )}
        </>
      )}
    </QueryBody>
  );
}

function describeErasure(erasure: DataOf<typeof previewErasure>): string {
  const { sessions, contacts, messages, followedChannel, keptUploads } = erasure;
  const removed = [
    formatPlural(sessions, "session"),
    contacts > 0 ? "their notification contacts" : "no notification contacts",
    formatPlural(messages, "notification"),
  ];
  const ended = [
    ...(followedChannel === null
      ? []
      : [`The channel ${visibleText(followedChannel)} is no longer followed.`]),
    ...(erasure.hasConsent ? ["Their consent to archiving ends."] : []),
  ];
  const kept =
    keptUploads === 0
      ? ""
      : ` ${formatPlural(keptUploads, "upload")} of their channel would keep its name in file names and titles; delete them first if they have to go too.`;
  return `${[`Would also remove: ${removed.join(", ")}.`, ...ended].join(" ")}${kept}`;
}
