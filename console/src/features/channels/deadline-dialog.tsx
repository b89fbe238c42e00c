import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { updateChannel, type Channel } from "#contract/channels.ts";
import { call } from "#console/lib/api-client.ts";
import { FormDialog } from "#console/ui/form-dialog.tsx";
import { DialogText } from "#console/ui/dialog.tsx";
import { TextField } from "#console/ui/text-field.tsx";

/** Asks for an own figure of how long the source keeps past broadcasts. */
export function DeadlineDialog({
  channel: { id, ownDeletesAfterDays: own },
  onClose,
}: {
  readonly channel: Channel;
  readonly onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const [text, setText] = useState(own === null ? "" : String(own));
  const days = text.trim() === "" ? null : /^\s*\d{1,4}\s*$/.test(text) ? Number(text) : 0;
  const isWrong = days !== null && (days < 1 || days > 3_650);
  const fault = isWrong ? "Enter a number of days from 1 to 3,650." : undefined;
  const save = useMutation({
    mutationFn: () => call(updateChannel, { params: { id }, body: { ownDeletesAfterDays: days } }),
    onSuccess: onClose,
    onSettled: () => void queryClient.invalidateQueries({ queryKey: ["channels"] }),
  });
  return (
    <FormDialog
      title="How long the source keeps past broadcasts"
      save={save}
      button={{ disabledReason: fault }}
      onClose={onClose}
    >
      <DialogText>
        Twitch keeps them for 7 days, those of affiliates for 14, and those of partners for 60. It
        decides from when a VOD counts as in danger, and the order of the queue.
      </DialogText>
      <TextField
        label="Your figure, in days"
        hint="Leave it empty to follow the kind of channel."
        inputMode="numeric"
        data-autofocus=""
        value={text}
        error={fault}
        onChange={({ target }) => setText(target.value)}
      />
    </FormDialog>
  );
}
