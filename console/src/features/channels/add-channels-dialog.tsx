import { useId, useState, type FormEvent } from "react";
import { MAX_RIGHTS_REASON_LENGTH } from "#contract/limits.ts";
import { useAskBeforeLeaving } from "#console/lib/ask-before-leaving.ts";
import { formatCount, formatPlural } from "#console/lib/format.ts";
import { Button } from "#console/ui/button.tsx";
import { Checkbox } from "#console/ui/checkbox.tsx";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { Dialog, DialogError, DialogText } from "#console/ui/dialog.tsx";
import layout from "#console/ui/layout.module.css";
import { LinesField } from "#console/ui/lines-field.tsx";
import { Progress } from "#console/ui/progress.tsx";
import { TextField } from "#console/ui/text-field.tsx";
import { hasFailed, MAX_NAMES, namesOf, useAddChannels } from "./add-channels.ts";
import { AddedChannels } from "./added-channels.tsx";

/** Adds channels by name, then shows what became of each; those that failed can be sent again. */
export function AddChannelsDialog({
  initialText,
  onClose,
}: {
  readonly initialText: string;
  readonly onClose: () => void;
}) {
  const formId = useId();
  const [text, setText] = useState(initialText);
  const [isConfirmed, setConfirmed] = useState(false);
  const [reason, setReason] = useState("");
  const [asksToStop, setAsksToStop] = useState(false);
  const [isStopping, setStopping] = useState(false);
  const { run, outcomes, stop } = useAddChannels();
  useAskBeforeLeaving(run.isPending);
  const { names, repeated } = namesOf(text);
  const failed = outcomes.filter(hasFailed);

  function add(event: FormEvent) {
    event.preventDefault();
    if (reasonNotToAdd() !== undefined) return;
    setStopping(false);
    run.mutate({ names, ...(isConfirmed && { confirmation: { reason: reason.trim() } }) });
  }
  function reasonNotToAdd(): string | undefined {
    if (names.length === 0) return "Name a channel first.";
    if (isConfirmed && reason.trim() === "") return "Say what your confirmation rests on.";
    return undefined;
  }
  function editFailed() {
    setText(failed.map(({ name }) => name).join("\n"));
    run.reset();
  }
  function stopAdding() {
    setStopping(true);
    stop();
  }
  return (
    <Dialog
      title="Add channels"
      shape={run.isIdle ? "normal" : "wide"}
      onClose={() => (run.isPending ? setAsksToStop(true) : onClose())}
      footer={
        run.isIdle ? (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button kind="primary" type="submit" form={formId} disabledReason={reasonNotToAdd()}>
              {names.length < 2 ? "Add channel" : `Add ${formatCount(names.length)} channels`}
            </Button>
          </>
        ) : run.isPending ? (
          <Button busy={isStopping} onClick={stopAdding}>
            Stop
          </Button>
        ) : (
          <>
            {failed.length > 0 && (
              <Button onClick={editFailed}>Edit {formatCount(failed.length)} and send again</Button>
            )}
            <Button kind="primary" onClick={onClose}>
              Done
            </Button>
          </>
        )
      }
    >
      {run.isIdle ? (
        <form id={formId} className={layout.stack} onSubmit={add}>
          <DialogText>
            Each channel&apos;s new VODs are archived by the default rule from then on. Paste up to{" "}
            {MAX_NAMES} names, addresses or Twitch ids, one a line or with commas. What follows a #
            is ignored.
          </DialogText>
          <LinesField
            label="Names or addresses of channels"
            placeholder="pixelpilot"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            data-autofocus=""
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <p className={layout.note} role="status">
            {formatPlural(names.length, "channel")}
            {repeated > 0 && `, ${formatCount(repeated)} repeated`}
          </p>
          {names.length > MAX_NAMES && (
            <DialogError>
              Only the first {MAX_NAMES} are sent. The others can be sent afterwards.
            </DialogError>
          )}
          <Checkbox
            checked={isConfirmed}
            onChange={setConfirmed}
            label="I confirm that we hold the rights to archive those of these channels whose owners have not agreed. The confirmation is recorded and remembered for each channel until it is revoked."
          />
          {isConfirmed ? (
            <TextField
              label="Reason"
              placeholder="For example the contract"
              autoComplete="off"
              required
              maxLength={MAX_RIGHTS_REASON_LENGTH}
              value={reason}
              onChange={(event) => setReason(event.target.value)}
            />
          ) : (
            <p className={layout.note}>
              Otherwise they are added as well, and nothing of theirs is archived until the owner
              agrees or you confirm.
            </p>
          )}
        </form>
      ) : (
        <>
          {run.isPending && (
            <Progress
              label="Adding channels"
              percent={(outcomes.length / Math.max(1, names.length)) * 100}
            />
          )}
          <AddedChannels outcomes={outcomes} total={names.length} />
        </>
      )}
      {asksToStop && run.isPending && (
        <ConfirmDialog
          title="Stop adding channels"
          question="Those added so far stay. The names not yet sent are lost when this closes."
          confirmLabel="Stop and close"
          dismissLabel="Go on"
          onConfirm={() => {
            stop();
            onClose();
          }}
          onClose={() => setAsksToStop(false)}
        />
      )}
    </Dialog>
  );
}
