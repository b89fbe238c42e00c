import { useMutation, useQueryClient } from "@tanstack/react-query";
import { browseFiles, type ObjectKey } from "#contract/files.ts";
import { MAX_BULK_IDS } from "#contract/limits.ts";
import { call } from "#console/lib/api-client.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { keyOf } from "#console/lib/call-query.ts";
import { formatPlural } from "#console/lib/format.ts";
import { showOwnChange } from "#console/lib/query-client.ts";
import { toast } from "#console/ui/toast-store.ts";
import { toastError } from "#console/ui/toast-error.ts";

/** With the schemas of rules, which no list of files needs before. */
const loadCalls = () => import("#contract/trash.ts");

/** Locks files against every retention, and takes them out of the trash. */
export function useFileKeeping() {
  const queryClient = useQueryClient();
  function refresh() {
    showOwnChange();
    // Of the list and of each file.
    void queryClient.invalidateQueries({ queryKey: keyOf(browseFiles).slice(0, 1) });
  }
  const lock = useMutation({
    async mutationFn({ key, locked }: { readonly key: ObjectKey; readonly locked: boolean }) {
      const { lockFile } = await loadCalls();
      return await call(lockFile, { params: { key }, body: { locked } });
    },
    onSuccess: (_answer, { locked }) => toast.success(locked ? "File locked" : "File unlocked"),
    onError: (error) => toastError(messageOf(error, "Failed to change the lock")),
    onSettled: refresh,
  });
  const restore = useMutation({
    async mutationFn(keys: readonly ObjectKey[]) {
      const { restoreFiles } = await loadCalls();
      let count = 0;
      for (let next = 0; next < keys.length; next += MAX_BULK_IDS) {
        const body = { keys: keys.slice(next, next + MAX_BULK_IDS) };
        count += (await call(restoreFiles, { body })).restored;
      }
      return count;
    },
    onSuccess: (count) => toast.success(`Restored and locked ${formatPlural(count, "file")}`),
    onError: (error) => toastError(messageOf(error, "Failed to restore")),
    onSettled: refresh,
  });
  return { lock, restore };
}
