import { useNavigate } from "@tanstack/react-router";
import { FolderOpen, Pause, Play, RefreshCw, Trash2 } from "lucide-react";
import type { Channel } from "#contract/channels.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { RowMenu } from "#console/ui/list/row-menu.tsx";
import { useChannelActions } from "./channel-actions.ts";

export function ChannelMenu({
  channel,
  onRemove,
}: {
  readonly channel: Channel;
  readonly onRemove: () => void;
}) {
  const navigate = useNavigate();
  const { check, pause } = useChannelActions();
  const disabledReason = useMissingPermission("write:uploads");
  const paused = channel.pausedAt !== null;
  return (
    <RowMenu
      name={visibleText(channel.displayName)}
      busy={check.isPending || pause.isPending}
      items={[
        {
          label: "Open",
          icon: <FolderOpen />,
          onSelect: () =>
            void navigate({ to: "/channels/$channelId", params: { channelId: channel.id } }),
        },
        {
          label: "Check now",
          icon: <RefreshCw />,
          disabledReason,
          onSelect: () => check.mutate(channel),
        },
        {
          label: paused ? "Resume" : "Pause",
          icon: paused ? <Play /> : <Pause />,
          disabledReason,
          onSelect: () => pause.mutate({ channel, paused: !paused }),
        },
        {
          label: "Remove",
          icon: <Trash2 />,
          danger: disabledReason === undefined,
          disabledReason,
          onSelect: onRemove,
        },
      ]}
    />
  );
}
