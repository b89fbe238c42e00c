import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { revokeConfirmation } from "#contract/consent.ts";
import { twitchUserIdSchema } from "#contract/ids.ts";
import type { SourcePreview } from "#contract/source-preview.ts";
import { AgreeForOwnChannel } from "#console/domain/consent/own-channel.tsx";
import { useIsOwnChannel } from "#console/lib/session.ts";
import { RightsQuestion } from "#console/domain/consent/rights-question.tsx";
import { call } from "#console/lib/api-client.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { formatPlural } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Button } from "#console/ui/button.tsx";
import { DialogError } from "#console/ui/dialog.tsx";
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

/** What the archives rest on: owners' consents, earlier confirmations, and one question for the rest. */
export function ArchiveRights({
  previews,
  rights,
}: {
  readonly previews: readonly SourcePreview[];
  readonly rights: Rights;
}) {
  const isOwnChannel = useIsOwnChannel();
  const channels = [...new Map(previews.map((each) => [channelOf(each), each])).values()];
  const isRemembered = (each: SourcePreview) => !hasConsent(each) && each.ownConfirmation !== null;
  const open = channels.filter((each) => !hasConsent(each) && each.ownConfirmation === null);
  const unconfirmed = open.filter((each) => !rights.confirmed.has(channelOf(each)));
  const [only] = channels.length === 1 ? channels : [];
  return (
    <>
      {only !== undefined && <KnownRights preview={only} rights={rights} />}
      {open.some(({ owner }) => isOwnChannel(owner?.twitchId)) && (
        <div>
          <AgreeForOwnChannel />
        </div>
      )}
      {open.length > 0 && (
        <RightsQuestion
          summary={[
            only === undefined && channelsText(channels.filter(hasConsent), "agreed"),
            only === undefined && channelsText(channels.filter(isRemembered), "confirmed before"),
            channelsText(open, unconfirmed.length === 0 ? "confirmed" : "not confirmed"),
          ]
            .filter(Boolean)
            .join(", ")}
          label={`I confirm that we hold the rights to archive ${videosOf(open, previews)}. The confirmation is recorded${open.some(({ owner }) => owner !== null) ? ", and remembered for each channel until you revoke it" : ""}.`}
          isConfirmed={unconfirmed.length === 0}
          asksForReason={open.some(({ owner }) => owner !== null)}
          isRequired={false}
          reason={rights.reason}
          onConfirm={(isConfirmed) => {
            for (const each of open) rights.onConfirm(channelOf(each), isConfirmed);
          }}
          onReason={rights.onReason}
        />
      )}
    </>
  );
}

/** E.g. "3 channels agreed"; false without any. */
function channelsText({ length }: readonly unknown[], words: string): string | false {
  return length > 0 && `${formatPlural(length, "channel")} ${words}`;
}

/** E.g. "these 3 videos of Nova", or "the videos of Nova, Orbit". */
function videosOf(open: readonly SourcePreview[], previews: readonly SourcePreview[]): string {
  const names = open.map(nameOf).join(", ");
  if (open.length > 1) return `the videos of ${names}`;
  const count = previews.filter((each) => nameOf(each) === names).length;
  return `${count === 1 ? "this video" : `these ${count} videos`} of ${names}`;
}

/** Of the only channel: since when it may be archived, or no longer. */
function KnownRights({
  preview,
  rights,
}: {
  readonly preview: SourcePreview;
  readonly rights: Rights;
}) {
  const { owner, ownerConsent, ownConfirmation } = preview;
  if (ownerConsent?.withdrawnAt === null)
    return (
      <p>
        The owner agreed to archiving on <DateTime at={ownerConsent.agreedAt} />.
      </p>
    );
  if (ownConfirmation !== null && owner !== null)
    return (
      <Remembered
        channelId={owner.twitchId}
        name={nameOf(preview)}
        confirmation={ownConfirmation}
        onRevoked={() => rights.onConfirm(owner.twitchId, false)}
      />
    );
  if (typeof ownerConsent?.withdrawnAt !== "string") return null;
  return (
    <p>
      The owner withdrew consent on <DateTime at={ownerConsent.withdrawnAt} />.
    </p>
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
    <div className="between">
      <p className="fill anywhere">
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
