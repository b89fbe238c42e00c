import { useMutation, useQueryClient } from "@tanstack/react-query";
import { decideVods } from "#contract/channel-vods.ts";
import type { TwitchUserId, TwitchVodId } from "#contract/ids.ts";
import { MAX_BULK_IDS } from "#contract/limits.ts";
import { call } from "#console/lib/api-client.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { formatPlural } from "#console/lib/format.ts";
import { showOwnChange } from "#console/lib/query-client.ts";
import { toastError } from "#console/ui/toast-error.ts";
import { toast } from "#console/ui/toast-store.ts";

export type Decision = {
  readonly decision: "take" | "leave";
  /** Absent: all of the channel that are not archived. */
  readonly vodIds?: readonly TwitchVodId[];
};

/** Takes VODs whatever the rule says, or leaves them out. */
export function useDecisions(id: TwitchUserId) {
  const queryClient = useQueryClient();
  return useMutation({
    async mutationFn({ decision, vodIds }: Decision) {
      let changed = 0;
      for (let from = 0; from < (vodIds?.length ?? 1); from += MAX_BULK_IDS) {
        const batch = vodIds && { vodIds: vodIds.slice(from, from + MAX_BULK_IDS) };
        // oxlint-disable-next-line no-await-in-loop -- Each is one write of the service.
        const answer = await call(decideVods, { params: { id }, body: { decision, ...batch } });
        changed += answer.changed;
      }
      return changed;
    },
    onSuccess(changed, { decision }) {
      const vods = formatPlural(changed, "VOD");
      if (changed === 0) toast.info("Nothing had to be changed");
      else
        toast.success(
          decision === "take" ? `${vods} will be archived` : `${vods} will not be archived`,
        );
    },
    onError: (error) => toastError(messageOf(error)),
    onSettled() {
      showOwnChange();
      void queryClient.invalidateQueries({ queryKey: ["channels"] });
    },
  });
}
