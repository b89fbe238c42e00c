import { useNavigate } from "@tanstack/react-router";
import { FolderOpen, Pause, Play, RefreshCw, Trash2 } from "lucide-react";
import type { Channel } from "#contract/channels.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { RowMenu } from "#console/ui/list/row-menu.tsx";
import { useChannelActions } from "./channel-actions.ts";

/** What can be done with a channel, in its row and on its page. */
export function useChannelItems(channel: Channel, onRemove: () => void) {
  const { check, pause } = useChannelActions();
  const disabledReason = useMissingPermission("write:uploads");
  const paused = channel.pausedAt !== null;
  return [
    {
      label: "Check now",
      icon: <RefreshCw />,
      busy: check.isPending,
      disabledReason,
      onSelect: () => check.mutate(channel),
    },
    {
      label: paused ? "Resume" : "Pause",
      icon: paused ? <Play /> : <Pause />,
      busy: pause.isPending,
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
  ];
}

export function ChannelMenu({
  channel,
  onRemove,
}: {
  readonly channel: Channel;
  readonly onRemove: () => void;
}) {
  const navigate = useNavigate();
  const items = useChannelItems(channel, onRemove);
  const open = () =>
    void navigate({ to: "/channels/$channelId", params: { channelId: channel.id } });
  return (
    <RowMenu
      name={visibleText(channel.displayName)}
      busy={items.some(({ busy }) => busy)}
      items={[{ label: "Open", icon: <FolderOpen />, onSelect: open }, ...items]}
    />
  );
}
