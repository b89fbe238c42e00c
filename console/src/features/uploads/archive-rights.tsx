import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { revokeConfirmation } from "#contract/consent.ts";
import { twitchUserIdSchema } from "#contract/ids.ts";
import { MAX_RIGHTS_REASON_LENGTH } from "#contract/limits.ts";
import type { SourcePreview } from "#contract/source-preview.ts";
import { call } from "#console/lib/api-client.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Button } from "#console/ui/button.tsx";
import { Checkbox } from "#console/ui/checkbox.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { DialogError } from "#console/ui/dialog.tsx";
import layout from "#console/ui/layout.module.css";
import { TextField } from "#console/ui/text-field.tsx";
import { DateTime } from "#console/ui/time.tsx";
import { PREVIEW_KEY } from "./found-videos.ts";

/** Whose word an archive of each channel rests on, as far as this dialog has asked. */
export function useRights() {
  const [confirmed, setConfirmed] = useState<ReadonlySet<string>>(new Set());
  const [reason, setReason] = useState("");
  return {
    confirmed,
    reason,
    onConfirm: (channel: string, isConfirmed: boolean) =>
      setConfirmed((before) => {
        const next = new Set(before);
        if (isConfirmed) next.add(channel);
        else next.delete(channel);
        return next;
      }),
    onReason: setReason,
  };
}

type Rights = ReturnType<typeof useRights>;

/** Videos without an owner are confirmed for their host, each time. */
function channelOf({ owner, sourceHost = "" }: SourcePreview): string {
  return owner?.twitchId ?? sourceHost;
}

export function nameOf({ owner, sourceHost = "" }: SourcePreview): string {
  return visibleText(owner?.displayName ?? sourceHost);
}

export function hasConsent({ ownerConsent }: SourcePreview): boolean {
  return ownerConsent?.withdrawnAt === null;
}

/** What to send with a start. */
export function rightsOf(preview: SourcePreview, { confirmed, reason }: Rights) {
  const rightsConfirmed = confirmed.has(channelOf(preview));
  const isRemembered = rightsConfirmed && preview.owner !== null;
  return { rightsConfirmed, ...(isRemembered && { rememberRights: { reason: reason.trim() } }) };
}

/** The first video whose rights are still to be confirmed. */
export function findUnconfirmed(previews: readonly SourcePreview[], rights: Rights) {
  return previews.find(
    (each) =>
      !hasConsent(each) && each.ownConfirmation === null && !rights.confirmed.has(channelOf(each)),
  );
}

/** For each channel its owner's consent, an earlier confirmation, or the question for one. */
export function ArchiveRights({
  previews,
  rights,
}: {
  readonly previews: readonly SourcePreview[];
  readonly rights: Rights;
}) {
  const channels = [...new Map(previews.map((each) => [channelOf(each), each])).values()];
  const asksForReason = channels.some(
    (each) => each.owner !== null && rights.confirmed.has(channelOf(each)),
  );
  return (
    <>
      {channels.map((each) => (
        <ChannelRights
          key={channelOf(each)}
          preview={each}
          count={previews.filter((other) => channelOf(other) === channelOf(each)).length}
          isOnly={channels.length === 1}
          rights={rights}
        />
      ))}
      {asksForReason && (
        <TextField
          label="Reason (optional)"
          placeholder="For example the contract"
          autoComplete="off"
          maxLength={MAX_RIGHTS_REASON_LENGTH}
          value={rights.reason}
          onChange={(event) => rights.onReason(event.target.value)}
        />
      )}
    </>
  );
}

function ChannelRights({
  preview,
  count,
  isOnly,
  rights,
}: {
  readonly preview: SourcePreview;
  readonly count: number;
  readonly isOnly: boolean;
  readonly rights: Rights;
}) {
  const { owner, ownerConsent, ownConfirmation } = preview;
  const name = nameOf(preview);
  if (ownerConsent?.withdrawnAt === null)
    return (
      <p>
        {isOnly ? "The owner" : name} agreed to archiving on <DateTime at={ownerConsent.agreedAt} />
        .
      </p>
    );
  if (ownConfirmation !== null && owner !== null)
    return (
      <Remembered
        channelId={owner.twitchId}
        name={name}
        confirmation={ownConfirmation}
        onRevoked={() => rights.onConfirm(owner.twitchId, false)}
      />
    );
  const memory = owner === null ? "" : ", and remembered for this channel until you revoke it";
  const videos = count === 1 ? "this video" : `these ${count} videos`;
  return (
    <>
      {typeof ownerConsent?.withdrawnAt === "string" && (
        <p>
          {isOnly ? "The owner" : name} withdrew consent on{" "}
          <DateTime at={ownerConsent.withdrawnAt} />.
        </p>
      )}
      <Checkbox
        checked={rights.confirmed.has(channelOf(preview))}
        onChange={(isConfirmed) => rights.onConfirm(channelOf(preview), isConfirmed)}
        label={`I confirm that we hold the rights to archive ${videos} of ${name}. The confirmation is recorded${memory}.`}
      />
    </>
  );
}

function Remembered({
  channelId,
  name,
  confirmation: { confirmedAt, reason },
  onRevoked,
}: {
  readonly channelId: string;
  readonly name: string;
  readonly confirmation: NonNullable<SourcePreview["ownConfirmation"]>;
  readonly onRevoked: () => void;
}) {
  const queryClient = useQueryClient();
  const revoke = useMutation({
    mutationFn: () =>
      call(revokeConfirmation, { params: { channelId: twitchUserIdSchema.parse(channelId) } }),
    onSuccess() {
      onRevoked();
      queryClient.setQueriesData<SourcePreview>({ queryKey: [PREVIEW_KEY] }, (each) =>
        each?.owner?.twitchId === channelId ? { ...each, ownConfirmation: null } : each,
      );
    },
  });
  return (
    <div className={layout.between}>
      <p className={classNames(layout.fill, layout.anywhere)}>
        You confirmed the rights to videos of {name} on <DateTime at={confirmedAt} />
        {reason === "" ? "." : `: ${visibleText(reason)}`}
      </p>
      <Button busy={revoke.isPending} onClick={() => revoke.mutate()}>
        Revoke
      </Button>
      {revoke.isError && <DialogError>{messageOf(revoke.error)}</DialogError>}
    </div>
  );
}
