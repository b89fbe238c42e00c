import { useState } from "react";
import type { Channel } from "#contract/channels.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { hasBill } from "#console/lib/deployment.ts";
import { useNow } from "#console/lib/clock.ts";
import { formatHours, formatPlural, formatUsd } from "#console/lib/format.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { Avatar } from "#console/ui/avatar.tsx";
import { Card } from "#console/ui/card.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { Figures } from "#console/ui/figures.tsx";
import { TextButton } from "#console/ui/text-button.tsx";
import { Time } from "#console/ui/time.tsx";
import { ChannelBasis } from "./channel-basis.tsx";
import { dangerOf, ruleText } from "./channel-words.ts";
import styles from "./channel.module.css";
import { DeadlineDialog } from "./lazy-parts.ts";

/** What is archived of a channel, by which rule and on whose word. */
export function ChannelHead({ channel }: { readonly channel: Channel }) {
  const { archived } = channel;
  const nowMs = useNow(60_000);
  return (
    <Card>
      <div className={classNames("beside top gap4", styles.head)}>
        <Avatar name={channel.displayName} imageUrl={channel.profileImageUrl} size={64} />
        <div className="stack gap4">
          <Figures
            figures={[
              {
                name: "Archived",
                value: formatPlural(archived.files, "file"),
                note: archived.durationSec > 0 && formatHours(archived.durationSec),
              },
              {
                name: "Size",
                value: formatBytes(archived.sizeBytes),
                note: hasBill() && `${formatUsd(archived.usdPerMonth)} a month`,
              },
              {
                name: "Deleted at Twitch",
                value: dangerOf(channel, nowMs)?.text ?? "None",
              },
              { name: "The source keeps broadcasts", value: <KeptAtSource channel={channel} /> },
              { name: "Last check", value: <Time at={channel.checkedAt} /> },
            ]}
          />
          <p className="small">
            <span className="strong">
              {Object.keys(channel.changes).length === 0 ? "Default rule" : "Own rule"}
            </span>
            : {ruleText(channel.rule)}
          </p>
          <ChannelBasis channel={channel} />
        </div>
      </div>
    </Card>
  );
}

/** How long the source keeps past broadcasts, which an administrator may know better. */
function KeptAtSource({ channel }: { readonly channel: Channel }) {
  const [isOpen, setOpen] = useState(false);
  const writeMissing = useMissingPermission("write:uploads");
  const { deletesAfterDays: days, ownDeletesAfterDays: own } = channel;
  return (
    <>
      for {formatPlural(days, "day")}
      {own !== null && <small>(your figure)</small>}
      {writeMissing === undefined && (
        <TextButton
          aria-label="Change how long the source keeps broadcasts"
          aria-haspopup="dialog"
          onClick={() => setOpen(true)}
        >
          Change
        </TextButton>
      )}
      {isOpen && <DeadlineDialog channel={channel} onClose={() => setOpen(false)} />}
    </>
  );
}
