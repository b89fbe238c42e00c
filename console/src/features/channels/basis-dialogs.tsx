import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { listVods } from "#contract/channel-vods.ts";
import { updateChannel, type Channel } from "#contract/channels.ts";
import { revokeConfirmation } from "#contract/consent.ts";
import { RightsReason } from "#console/domain/consent/rights-question.tsx";
import { InviteOwner } from "#console/domain/uploads/invite-owner.tsx";
import { call } from "#console/lib/api-client.ts";
import { callQuery } from "#console/lib/call-query.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { FormDialog } from "#console/ui/form-dialog.tsx";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { DialogText } from "#console/ui/dialog.tsx";

type DialogProps = { readonly channel: Channel; readonly onClose: () => void };

function useRefresh() {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: ["channels"] });
}

export function RevokeDialog({ channel, onClose }: DialogProps) {
  const refresh = useRefresh();
  return (
    <ConfirmDialog
      title="Revoke your confirmation?"
      question={`No more VODs of ${visibleText(channel.displayName)} are archived until the owner agrees or somebody confirms the rights. What is stored stays.`}
      confirmLabel="Revoke"
      danger
      onConfirm={async () => {
        await call(revokeConfirmation, { params: { channelId: channel.id } });
        await refresh();
      }}
      onClose={onClose}
    />
  );
}

/** Asks for the own word, with a reason; or makes the link on which the owner can agree. */
export function BasisDialog({ channel, onClose }: DialogProps) {
  const [reason, setReason] = useState("");
  const refresh = useRefresh();
  // An invitation names a VOD of its channel.
  const newest = useQuery(
    callQuery(listVods, { params: { id: channel.id }, query: { page: 1, limit: 1 } }),
  ).data?.items[0];
  const name = visibleText(channel.displayName);
  const confirm = useMutation({
    mutationFn: () =>
      call(updateChannel, {
        params: { id: channel.id },
        body: { confirmation: { reason: reason.trim() } },
      }),
    onSuccess: onClose,
    onSettled: refresh,
  });
  return (
    <FormDialog
      title={`Rights to the VODs of ${name}`}
      save={confirm}
      label="Confirm rights"
      dismissLabel="Close"
      button={{ disabledReason: reason.trim() === "" ? "Give the reason." : undefined }}
      onClose={onClose}
    >
      <DialogText>
        Confirm that we hold the rights to archive the VODs of {name}. Your confirmation is recorded
        with its reason, and remembered until you revoke it.
      </DialogText>
      <RightsReason reason={reason} isRequired onReason={setReason} />
      {newest !== undefined && (
        <InviteOwner source={{ type: "twitch", vodId: newest.id }} owner={channel} />
      )}
    </FormDialog>
  );
}
