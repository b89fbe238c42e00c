import { useQuery } from "@tanstack/react-query";
import { useId, useState, type FormEvent } from "react";
import { readChannelDefaults } from "#contract/channels.ts";
import { MAX_CHANNELS_FOUND } from "#contract/limits.ts";
import { AgreeForOwnChannel } from "#console/domain/consent/own-channel.tsx";
import { useIsOwnChannel } from "#console/lib/session.ts";
import { RightsQuestion } from "#console/domain/consent/rights-question.tsx";
import { callQuery } from "#console/lib/call-query.ts";
import { useAskBeforeLeaving } from "#console/lib/ask-before-leaving.ts";
import { formatCount, formatPlural } from "#console/lib/format.ts";
import { Button } from "#console/ui/button.tsx";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { Dialog, DialogError, DialogText } from "#console/ui/dialog.tsx";
import { LinesField } from "#console/ui/lines-field.tsx";
import { Progress } from "#console/ui/progress.tsx";
import { hasFailed, MAX_NAMES, namesOf, useAddChannels } from "./add-channels.ts";
import { AddedChannels } from "./added-channels.tsx";
import { HowFarBack, useFoundChannels } from "./how-far-back.tsx";
import { draftOf, readDraft, type RuleDraft } from "#console/domain/channels/rule-draft.ts";

/** Adds channels by name, then shows what became of each; those that failed can be sent again. */
export function AddChannelsDialog({
  initialText,
  onClose,
}: {
  readonly initialText: string;
  readonly onClose: () => void;
}) {
  const formId = useId();
  const isOwnChannel = useIsOwnChannel();
  const [text, setText] = useState(initialText);
  const [isConfirmed, setConfirmed] = useState(false);
  const [reason, setReason] = useState("");
  const [backDraft, setBackDraft] = useState<RuleDraft["backDays"]>();
  const [looksAt, setLooksAt] = useState(() => namesOf(initialText).names);
  const [isTried, setTried] = useState(false);
  const [asksToStop, setAsksToStop] = useState(false);
  const [isStopping, setStopping] = useState(false);
  const { run, outcomes, stop } = useAddChannels();
  useAskBeforeLeaving(run.isPending);
  const { names, repeated } = namesOf(text);
  const failed = outcomes.filter(hasFailed);
  // The page behind has asked for it.
  const defaults = useQuery(callQuery(readChannelDefaults)).data?.rule;
  const usual = defaults && draftOf(defaults);
  const back = backDraft ?? usual?.backDays;
  const read = usual && back && readDraft({ ...usual, backDays: back });
  const found = useFoundChannels(looksAt);
  const own = found.data?.channels.find(({ id, hasBasis }) => !hasBasis && isOwnChannel(id));
  const lacksReason = isConfirmed && reason.trim() === "";

  function add(event: FormEvent) {
    event.preventDefault();
    setTried(true);
    if (names.length === 0 || lacksReason || Object.keys(read?.faults ?? {}).length > 0) return;
    setStopping(false);
    const { backDays } = read?.rule ?? {};
    const isOther = backDays !== undefined && backDays !== defaults?.backDays;
    run.mutate({
      names,
      ...(isConfirmed && { confirmation: { reason: reason.trim() } }),
      ...(isOther && { changes: { backDays } }),
    });
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
            <Button
              kind="primary"
              type="submit"
              form={formId}
              disabledReason={names.length === 0 ? "Name a channel first." : undefined}
            >
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
        <form id={formId} className="stack" onSubmit={add}>
          <DialogText>
            Paste up to {MAX_NAMES} names, addresses or Twitch ids, one a line or with commas. What
            follows a # is ignored.
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
            onBlur={() => setLooksAt(names)}
          />
          <p className="note" role="status">
            {formatPlural(names.length, "channel")}
            {repeated > 0 && `, ${formatCount(repeated)} repeated`}
          </p>
          {names.length > MAX_NAMES && (
            <DialogError>
              Only the first {MAX_NAMES} are sent. The others can be sent afterwards.
            </DialogError>
          )}
          {back !== undefined && (
            <HowFarBack
              draft={back}
              error={read?.faults.backDays}
              found={found.data}
              isMany={names.length > MAX_CHANNELS_FOUND}
              onChange={setBackDraft}
            />
          )}
          {own !== undefined && <AgreeForOwnChannel />}
          <RightsQuestion
            summary="channels whose owners have not agreed"
            label="I confirm that we hold the rights to archive them. The confirmation is recorded and remembered for each channel until it is revoked; without it, nothing of theirs is archived until the owner agrees."
            isConfirmed={isConfirmed}
            asksForReason
            isRequired
            reason={reason}
            error={isTried && lacksReason ? "Say what your confirmation rests on." : undefined}
            onConfirm={setConfirmed}
            onReason={setReason}
          />
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
