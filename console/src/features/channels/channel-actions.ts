import { useMutation, useQueryClient } from "@tanstack/react-query";
import {
  checkChannel,
  removeChannel,
  updateChannel,
  updateChannelDefaults,
  type Channel,
} from "#contract/channels.ts";
import { call } from "#console/lib/api-client.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { showOwnChange } from "#console/lib/query-client.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { toast } from "#console/ui/toast-store.ts";

function useChannelChange<Change>(
  success: (change: Change) => string,
  mutationFn: (change: Change) => Promise<unknown>,
) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: (_data, change) => toast.success(success(change)),
    onError: (error) => toast.error(messageOf(error)),
    onSettled: () => {
      showOwnChange();
      return queryClient.invalidateQueries({ queryKey: ["channels"] });
    },
  });
}

const paramsOf = ({ id }: Channel) => ({ params: { id } });
const nameOf = ({ displayName }: Channel) => visibleText(displayName);

export function useChannelActions() {
  return {
    check: useChannelChange(
      (channel: Channel) => `The VODs of ${nameOf(channel)} are read again shortly`,
      (channel) => call(checkChannel, paramsOf(channel)),
    ),
    pause: useChannelChange(
      ({ channel, paused }: { readonly channel: Channel; readonly paused: boolean }) =>
        `${nameOf(channel)} ${paused ? "paused" : "resumed"}`,
      ({ channel, paused }) => call(updateChannel, { ...paramsOf(channel), body: { paused } }),
    ),
    remove: useChannelChange(
      (channel: Channel) => `${nameOf(channel)} removed`,
      (channel) => call(removeChannel, paramsOf(channel)),
    ),
    pauseAll: useChannelChange(
      (paused: boolean) => (paused ? "All rules paused" : "All rules resumed"),
      (paused) => call(updateChannelDefaults, { body: { paused } }),
    ),
  };
}

/** docs/console.md#intervals */
export const CHANNELS_POLL_MS = 30_000;
const MOVING_POLL_MS = 3_000;

/** More often while a channel's first list is read, or its VODs are started or copied. */
export function pollMs(channels: readonly Channel[] = []): number {
  return channels.some(isMoving) ? MOVING_POLL_MS : CHANNELS_POLL_MS;
}

function isMoving({ basis, pausedAt, trouble, checkedAt, vods }: Channel): boolean {
  if (pausedAt !== null || trouble !== null) return false;
  return checkedAt === null || (basis !== null && vods.waiting > 0);
}
