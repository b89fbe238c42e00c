import { useMutation } from "@tanstack/react-query";
import { inviteOwner, revokeInvitation } from "#contract/consent.ts";
import type { TwitchUserId } from "#contract/ids.ts";
import type { ArchiveSource } from "#contract/uploads.ts";
import { call } from "#console/lib/api-client.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Button } from "#console/ui/button.tsx";
import { CopyButton } from "#console/ui/copy-button.tsx";
import { DialogError } from "#console/ui/dialog.tsx";
import { TextField } from "#console/ui/text-field.tsx";
import { DateTime } from "#console/ui/time.tsx";

/** Creates the link on which the VOD's owner can agree to archiving. */
export function InviteOwner({
  source,
  owner,
}: {
  readonly source: ArchiveSource;
  readonly owner: { readonly displayName: string };
}) {
  const name = visibleText(owner.displayName);
  const invite = useMutation({ mutationFn: () => call(inviteOwner, { body: { source } }) });
  const revoke = useMutation({
    mutationFn: (channelId: TwitchUserId) => call(revokeInvitation, { params: { channelId } }),
    onSuccess: () => invite.reset(),
  });
  const error = invite.error ?? revoke.error;
  return (
    <div className="stack">
      {invite.data === undefined ? (
        <>
          <p className="small soft">
            Or ask {name}: on a link that you send, the owner can read what is copied, agree, and
            withdraw later.
          </p>
          <div>
            <Button busy={invite.isPending} onClick={() => invite.mutate()}>
              Invite the owner
            </Button>
          </div>
        </>
      ) : (
        <>
          <div className="row bottom growFirst">
            <TextField
              label={`Link for ${name}`}
              readOnly
              value={invite.data.address}
              onFocus={(event) => event.target.select()}
            />
            <CopyButton text={invite.data.address} label="Copy link" />
          </div>
          <p className="small soft">
            Only {name} can agree on it, until <DateTime at={invite.data.expiresAt} />. It replaces
            earlier links, and is not shown again.
          </p>
          <div>
            <Button busy={revoke.isPending} onClick={() => revoke.mutate(invite.data.channelId)}>
              Revoke link
            </Button>
          </div>
        </>
      )}
      {error !== null && <DialogError>{messageOf(error)}</DialogError>}
    </div>
  );
}
