import { useState } from "react";
import type { Channel } from "#contract/channels.ts";
import { useIsOwnChannel, useMissingPermission, useSession } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Button } from "#console/ui/button.tsx";
import { toneStyle } from "#console/ui/badge.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { DateTime } from "#console/ui/time.tsx";
import { AgreeForOwnChannel, BasisDialog, RevokeDialog } from "./lazy-parts.ts";

/** What allows archiving the channel, or how to get it. */
export function ChannelBasis({ channel }: { readonly channel: Channel }) {
  const { basis } = channel;
  const session = useSession();
  const [asks, setAsks] = useState<"confirm" | "revoke" | null>(null);
  const close = () => setAsks(null);
  const isOwnChannel = useIsOwnChannel();
  const writeMissing = useMissingPermission("write:uploads");
  const name = visibleText(channel.displayName);
  const isOwn =
    basis?.kind === "confirmation" &&
    session.status === "signed-in" &&
    basis.confirmedBy.userId === session.admin.id;
  return (
    <div
      className={classNames("between small", basis === null && "callout")}
      style={basis === null ? toneStyle("warn") : undefined}
    >
      <p className="fill anywhere">
        {basis === null ? (
          <>
            <strong>Nothing is archived yet.</strong> {name} has not agreed to archiving, and nobody
            here has confirmed that we hold the rights.
          </>
        ) : basis.kind === "consent" ? (
          <>
            {name} agreed to archiving on <DateTime at={basis.agreedAt} />.
          </>
        ) : (
          <>
            {isOwn ? "You" : visibleText(basis.confirmedBy.displayName)} confirmed on{" "}
            <DateTime at={basis.confirmedAt} /> that we hold the rights: {visibleText(basis.reason)}
          </>
        )}
      </p>
      {basis === null && isOwnChannel(channel.id) && writeMissing === undefined && (
        <AgreeForOwnChannel />
      )}
      {basis === null && (
        <Button disabledReason={writeMissing} onClick={() => setAsks("confirm")}>
          Confirm or invite
        </Button>
      )}
      {isOwn && (
        <Button disabledReason={writeMissing} onClick={() => setAsks("revoke")}>
          Revoke
        </Button>
      )}
      {asks === "confirm" && <BasisDialog channel={channel} onClose={close} />}
      {asks === "revoke" && <RevokeDialog channel={channel} onClose={close} />}
    </div>
  );
}
