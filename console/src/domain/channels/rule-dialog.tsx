import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import {
  getChannel,
  readChannelDefaults,
  updateChannel,
  updateChannelDefaults,
  type Channel,
} from "#contract/channels.ts";
import { ruleSchema, type Rule, type RuleChanges } from "#contract/channel-rules.ts";
import { simulateRetention } from "#contract/trash.ts";
import { RightsReason } from "#console/domain/consent/rights-question.tsx";
import { call } from "#console/lib/api-client.ts";
import { ApiError } from "#console/lib/api-error.ts";
import { callQuery } from "#console/lib/call-query.ts";
import { useMissingPermission, useSession } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { ActionDialog } from "#console/ui/action-dialog.tsx";
import { Button } from "#console/ui/button.tsx";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { Dialog, DialogText } from "#console/ui/dialog.tsx";
import { LeaveGuard } from "#console/ui/leave-guard.tsx";
import { QueryBody } from "#console/ui/query-body.tsx";
import { toast } from "#console/ui/toast-store.ts";
import { RetentionCheck } from "./retention-check.tsx";
import {
  draftOf,
  editedKeys,
  mergeChanges,
  overtakenKeys,
  readDraft,
  RULE_FIELDS,
  RULE_KEYS,
  type RuleEdit,
} from "./rule-draft.ts";
import { RuleForm } from "./rule-form.tsx";
import { RulePreview } from "./rule-preview.tsx";

/** Typing asks the service once it has paused. */
const SETTLE_MS = 400;

/**
 * Edits the rule of a channel, or the default rule of all. What it would take can be seen before it
 * is saved; the files that its retention would remove have to be.
 */
export function RuleDialog({
  channel,
  onClose,
}: {
  /** Null for the default rule. */
  readonly channel: Channel | null;
  readonly onClose: () => void;
}) {
  const defaults = useQuery(callQuery(readChannelDefaults));
  const title = channel === null ? "Default rule" : `Rule of ${visibleText(channel.displayName)}`;
  if (defaults.data === undefined)
    return (
      <Dialog title={title} shape="wide" onClose={onClose}>
        <QueryBody query={defaults}>{() => null}</QueryBody>
      </Dialog>
    );
  const { rule } = defaults.data;
  return <RuleEditor title={title} channel={channel} defaultRule={rule} onClose={onClose} />;
}

function RuleEditor({
  title,
  channel,
  defaultRule,
  onClose,
}: {
  readonly title: string;
  readonly channel: Channel | null;
  readonly defaultRule: Rule;
  readonly onClose: () => void;
}) {
  const [opened] = useState<RuleEdit>(() =>
    channel === null
      ? { draft: draftOf(defaultRule), own: new Set(RULE_KEYS) }
      : {
          draft: draftOf(channel.rule),
          own: new Set(RULE_KEYS.filter((key) => channel.changes[key] !== undefined)),
        },
  );
  const [edit, setEdit] = useState(opened);
  const [isPreviewed, setPreviewed] = useState(false);
  const [seenDigest, setSeenDigest] = useState<string | null>(null);
  const [reason, setReason] = useState("");
  const [asksToLeave, setAsksToLeave] = useState(false);
  const { rule, faults } = readDraft(edit.draft);
  const edited = editedKeys(opened, edit);
  const settled = useSettled(rule);
  const save = useSaveRule(channel, defaultRule, onClose);
  const simulation = useQuery(simulationQuery(settled, channel));
  const writeMissing = useMissingPermission("write:uploads");
  const needsReason = useRestsOnOthersWord(channel);

  const isSettled = JSON.stringify(rule) === JSON.stringify(settled);
  const isKeptAll = rule?.retention.keep === "all";
  const isSeen = simulation.data?.files === 0 || seenDigest === simulation.data?.digest;

  function findRefusal(): string | undefined {
    if (writeMissing !== undefined) return writeMissing;
    if (edited.length === 0) return "Nothing has been changed.";
    if (rule === undefined) return "Correct the marked fields first.";
    if (needsReason && reason.trim() === "") return "Give the reason why we hold the rights.";
    if (isKeptAll) return undefined;
    if (!isSettled || simulation.data === undefined)
      return "The effect of the retention is still being looked up.";
    return isSeen ? undefined : "Look at the files that would go to the trash, and confirm them.";
  }
  function saveEdits() {
    if (rule === undefined) return;
    save.mutate(
      {
        rule,
        edit,
        edited,
        ...(!isKeptAll && simulation.data && { simulation: simulation.data.digest }),
        ...(needsReason && { confirmation: { reason: reason.trim() } }),
      },
      { onError: () => void simulation.refetch() },
    );
  }
  function close() {
    if (edited.length > 0) setAsksToLeave(true);
    else onClose();
  }
  return (
    <>
      <ActionDialog
        title={title}
        shape="wide"
        save={{ ...save, mutate: saveEdits }}
        button={{ disabledReason: findRefusal() }}
        onClose={close}
      >
        <DialogText>
          {channel === null
            ? "For every channel that changes nothing of it."
            : "What is not changed here follows the default rule."}
        </DialogText>
        <RuleForm
          base={channel === null ? null : defaultRule}
          edit={edit}
          faults={faults}
          onEdit={setEdit}
        />
        {!isKeptAll && settled !== undefined && (
          <RetentionCheck query={simulation} seenDigest={seenDigest} onSeen={setSeenDigest} />
        )}
        {needsReason && (
          <RightsReason
            hint="Why we hold the rights. The rule acts on the word of whoever changed it last: yours replaces the earlier confirmation."
            isRequired
            reason={reason}
            onReason={setReason}
          />
        )}
        <div>
          <Button aria-expanded={isPreviewed} onClick={() => setPreviewed(!isPreviewed)}>
            {isPreviewed ? "Hide what this rule would take" : "Show what this rule would take"}
          </Button>
        </div>
        {isPreviewed && settled !== undefined && (
          <RulePreview rule={settled} channelId={channel?.id} />
        )}
      </ActionDialog>
      {asksToLeave && (
        <ConfirmDialog
          title="Leave without saving?"
          question="Your changes to the rule have not been saved."
          confirmLabel="Leave"
          danger
          onConfirm={onClose}
          onClose={() => setAsksToLeave(false)}
        />
      )}
      <LeaveGuard
        isDirty={edited.length > 0}
        question="Your changes to the rule have not been saved."
      />
    </>
  );
}

function simulationQuery(rule: Rule | undefined, channel: Channel | null) {
  const retention = rule?.retention ?? { keep: "all" };
  const of = channel === null ? {} : { channelId: channel.id };
  return {
    ...callQuery(simulateRetention, { body: { retention, ...of } }),
    enabled: retention.keep !== "all",
    staleTime: 0,
  };
}

/** Whether the channel's basis is the confirmation of somebody else, which a change here replaces. */
function useRestsOnOthersWord(channel: Channel | null): boolean {
  const session = useSession();
  const basis = channel?.basis;
  return (
    session.status === "signed-in" &&
    basis?.kind === "confirmation" &&
    basis.confirmedBy.userId !== session.admin.id
  );
}

type Save = {
  readonly rule: Rule;
  readonly edit: RuleEdit;
  readonly edited: ReturnType<typeof editedKeys>;
  readonly simulation?: string;
  readonly confirmation?: { readonly reason: string };
};

function useSaveRule(channel: Channel | null, defaultRule: Rule, onSaved: () => void) {
  const queryClient = useQueryClient();
  const [seen, setSeen] = useState<RuleChanges>(channel?.changes ?? defaultRule);

  /** What is to be saved. Fields that someone else has changed meanwhile are replaced knowingly only. */
  function merge(latest: RuleChanges, { rule, edit, edited }: Save): RuleChanges {
    const merged = mergeChanges(latest, edited, edit.own, rule);
    const overtaken = overtakenKeys(edited, seen, latest, merged);
    setSeen(latest);
    if (overtaken.length === 0) return merged;
    const fields = overtaken.map((key) => `“${RULE_FIELDS[key].name}”`).join(", ");
    throw new ApiError(
      "conflict",
      `Someone else has changed ${fields} meanwhile. Save again to replace that.`,
    );
  }
  return useMutation({
    async mutationFn(save: Save) {
      const { rule: _rule, edit: _edit, edited: _edited, ...proof } = save;
      const { confirmation: _ofChannels, ...simulated } = proof;
      if (channel === null) {
        const { rule: latest } = await call(readChannelDefaults);
        const rule = ruleSchema.parse(merge(latest, save));
        return call(updateChannelDefaults, { body: { rule, replaces: latest, ...simulated } });
      }
      const params = { id: channel.id };
      const { changes: replaces } = await call(getChannel, { params });
      const changes = merge(replaces, save);
      return call(updateChannel, { params, body: { changes, replaces, ...proof } });
    },
    onSuccess() {
      toast.success("Rule saved");
      onSaved();
    },
    onSettled: () => void queryClient.invalidateQueries({ queryKey: ["channels"] }),
  });
}

/** A value once it has stayed the same for a moment; the first one at once. */
function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  const text = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLE_MS);
    return () => clearTimeout(timer);
    // Each render makes a new object of the same content.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [text]);
  return settled;
}
