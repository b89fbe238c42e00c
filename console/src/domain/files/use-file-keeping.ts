import { useMutation, useQueryClient } from "@tanstack/react-query";
import { browseFiles, type ObjectKey } from "#contract/files.ts";
import { MAX_BULK_IDS } from "#contract/limits.ts";
import { call } from "#console/lib/api-client.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { keyOf } from "#console/lib/call-query.ts";
import { formatPlural } from "#console/lib/format.ts";
import { showOwnChange } from "#console/lib/query-client.ts";
import { useCan } from "#console/lib/session.ts";
import { toast } from "#console/ui/toast-store.ts";
import { toastError } from "#console/ui/toast-error.ts";

/** With the schemas of rules, which no list of files needs before. */
const loadCalls = () => import("#contract/trash.ts");

/** Locks files against every retention, moves them to the trash, and takes them out of it. */
export function useFileKeeping() {
  const queryClient = useQueryClient();
  function refresh() {
    showOwnChange();
    // Of the list and of each file.
    void queryClient.invalidateQueries({ queryKey: keyOf(browseFiles).slice(0, 1) });
    // Their rows say where their files are.
    void queryClient.invalidateQueries({ queryKey: ["uploads"] });
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
      for (const some of inBatches(keys))
        count += (await call(restoreFiles, { body: { keys: some } })).restored;
      return count;
    },
    onSuccess: (count) => toast.success(`Restored ${formatPlural(count, "file")}`),
    onError: (error) => toastError(messageOf(error, "Failed to restore")),
    onSettled: refresh,
  });
  const mayRestore = useCan("write:uploads");
  const trash = useMutation({
    async mutationFn(keys: readonly ObjectKey[]) {
      const { trashFiles } = await loadCalls();
      const trashed: ObjectKey[] = [];
      for (const some of inBatches(keys))
        trashed.push(...(await call(trashFiles, { body: { keys: some } })).trashed);
      return trashed;
    },
    onSuccess(trashed, keys) {
      const left = keys.length - trashed.length;
      if (left > 0)
        toast.error(
          `${formatPlural(left, "file")} stayed: locked, running, or in the trash already`,
        );
      if (trashed.length > 0)
        toast.info(
          `Moved ${formatPlural(trashed.length, "file")} to the trash for 14 days`,
          mayRestore ? { label: "Undo", run: () => restore.mutate(trashed) } : undefined,
        );
    },
    onError: (error) => toastError(messageOf(error, "Failed to move to the trash")),
    onSettled: refresh,
  });
  return { lock, restore, trash };
}

function inBatches(keys: readonly ObjectKey[]): readonly ObjectKey[][] {
  return Array.from({ length: Math.ceil(keys.length / MAX_BULK_IDS) }, (_batch, index) =>
    keys.slice(index * MAX_BULK_IDS, (index + 1) * MAX_BULK_IDS),
  );
}
