import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { DataOf } from "#contract/call.ts";
import { previewErasure, type User } from "#contract/users.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { callQuery } from "#console/lib/call-query.ts";
import { formatPlural } from "#console/lib/format.ts";
import { Checkbox } from "#console/ui/checkbox.tsx";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { DialogText } from "#console/ui/dialog.tsx";
import { QueryBody } from "#console/ui/query-body.tsx";
import { FAILURES } from "./user-actions.ts";
import { UserSubject } from "./user-subject.tsx";

/** Says what an erasure would delete and keep, before it is confirmed. */
export function EraseUserDialog({
  user,
  onErase,
  onClose,
}: {
  readonly user: User;
  readonly onErase: (inChats: boolean) => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const [inChats, setInChats] = useState(false);
  const preview = useQuery(callQuery(previewErasure, { params: { id: user.id } }));
  return (
    <ConfirmDialog
      title="Erase personal data"
      question="Name, mail address, picture and permissions are deleted for good. The numeric Twitch ID stays, for the audit log and for a ban."
      confirmLabel="Erase"
      danger
      onConfirm={() => onErase(inChats)}
      onClose={onClose}
      describeError={(error) => messageOf(error, FAILURES.erase)}
    >
      <UserSubject user={user} />
      <QueryBody query={preview} skeleton={<DialogText>Looking up what is stored…</DialogText>}>
        {(erasure) => (
          <>
            <DialogText>{describeErasure(erasure)}</DialogText>
            {erasure.chatReplays > 0 && (
              <Checkbox
                label={`Replace the name in ${formatPlural(erasure.chatReplays, "chat replay")}, too`}
                checked={inChats}
                onChange={setInChats}
              />
            )}
          </>
        )}
      </QueryBody>
    </ConfirmDialog>
  );
}

function describeErasure({
  sessions,
  savedViews,
  contacts,
  messages,
  keptUploads,
}: DataOf<typeof previewErasure>): string {
  const removed = [
    formatPlural(sessions, "session"),
    formatPlural(savedViews, "saved view"),
    contacts > 0 ? "their notification contacts" : "no notification contacts",
    formatPlural(messages, "notification"),
  ];
  const kept =
    keptUploads === 0
      ? ""
      : ` ${formatPlural(keptUploads, "upload")} of their channel would keep its name in file names and titles; delete them first if they have to go too.`;
  return `Would also remove: ${removed.join(", ")}.${kept}`;
}
