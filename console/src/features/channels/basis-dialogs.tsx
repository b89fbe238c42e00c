import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { listVods } from "#contract/channel-vods.ts";
import { updateChannel, type Channel } from "#contract/channels.ts";
import { revokeConfirmation } from "#contract/consent.ts";
import { MAX_RIGHTS_REASON_LENGTH } from "#contract/limits.ts";
import { InviteOwner } from "#console/domain/uploads/invite-owner.tsx";
import { call } from "#console/lib/api-client.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { callQuery } from "#console/lib/call-query.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Button } from "#console/ui/button.tsx";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { Dialog, DialogError, DialogText } from "#console/ui/dialog.tsx";
import { TextField } from "#console/ui/text-field.tsx";

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
      describeError={messageOf}
    />
  );
}

/** Asks for the own word, with a reason; or makes the link on which the owner can agree. */
export function BasisDialog({ channel, onClose }: DialogProps) {
  const formId = useId();
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
    <Dialog
      title={`Rights to the VODs of ${name}`}
      dismissible={!confirm.isPending}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button
            kind="primary"
            type="submit"
            form={formId}
            busy={confirm.isPending}
            disabledReason={reason.trim() === "" ? "Give the reason." : undefined}
          >
            Confirm rights
          </Button>
        </>
      }
    >
      <DialogText>
        Confirm that we hold the rights to archive the VODs of {name}. Your confirmation is recorded
        with its reason, and remembered until you revoke it.
      </DialogText>
      <form
        id={formId}
        onSubmit={(event) => {
          event.preventDefault();
          confirm.mutate();
        }}
      >
        <TextField
          label="Reason"
          placeholder="For example the contract"
          autoComplete="off"
          data-autofocus=""
          maxLength={MAX_RIGHTS_REASON_LENGTH}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
      </form>
      {confirm.isError && <DialogError>{messageOf(confirm.error)}</DialogError>}
      {newest !== undefined && (
        <InviteOwner source={{ type: "twitch", vodId: newest.id }} owner={channel} />
      )}
    </Dialog>
  );
}
