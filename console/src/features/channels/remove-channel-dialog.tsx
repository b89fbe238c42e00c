import type { Channel } from "#contract/channels.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { DialogSubject } from "#console/ui/dialog.tsx";
import { useChannelActions } from "./channel-actions.ts";

export function RemoveChannelDialog({
  channel,
  onRemoved,
  onClose,
}: {
  readonly channel: Channel;
  readonly onRemoved?: () => unknown;
  readonly onClose: () => void;
}) {
  const { remove } = useChannelActions();
  return (
    <ConfirmDialog
      title="Remove channel"
      question="Its rule ends, and no more of its VODs are archived. What is stored or running stays."
      confirmLabel="Remove"
      danger
      onConfirm={async () => {
        await remove.mutateAsync(channel);
        await onRemoved?.();
      }}
      onClose={onClose}
    >
      <DialogSubject name={visibleText(channel.displayName)} detail={`Twitch ID ${channel.id}`} />
    </ConfirmDialog>
  );
}
