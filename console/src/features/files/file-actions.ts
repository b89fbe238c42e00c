import { useMutation, useQueryClient, type QueryClient } from "@tanstack/react-query";
import type { DataOf } from "#contract/call.ts";
import { browseFiles, deleteFile, fileStats, type ObjectKey } from "#contract/files.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { call } from "#console/lib/api-client.ts";
import { keyOf } from "#console/lib/call-query.ts";
import { showOwnChange } from "#console/lib/query-client.ts";
import { toastError } from "#console/ui/toast-error.ts";
import { toast } from "#console/ui/toast-store.ts";

type FilePage = DataOf<typeof browseFiles>;

export function useDeleteFile() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (key: ObjectKey) => call(deleteFile, { params: { key } }),
    onSuccess: ({ key, size, refusal }) => {
      // Not with the next poll: the row must be gone when the dialog restores the focus.
      queryClient.setQueriesData<FilePage>(
        { queryKey: keyOf(browseFiles) },
        (page) => page && withoutFile(page, key),
      );
      if (refusal === undefined) toast.success(`File deleted: ${formatBytes(size)} freed`);
      else toast.error(`The store refuses to delete the file: ${refusal}`);
    },
    onError: () => toastError("Failed to delete file"),
    onSettled: () => refreshFiles(queryClient),
  });
}

/**
 * Also lowers the total, so that an emptied last page leads to the one before (`useList`).
 */
function withoutFile(page: FilePage, key: string): FilePage {
  const files = page.files.filter((file) => file.key !== key);
  if (files.length === page.files.length) return page;
  const { pagination } = page;
  // A capped total does not change by one row.
  const total = pagination.total - (pagination.totalIsCapped === true ? 0 : 1);
  return { ...page, files, pagination: { ...pagination, total: Math.max(0, total) } };
}

/** Refreshes the list and its totals after a deletion. */
export function refreshFiles(queryClient: QueryClient): void {
  showOwnChange();
  for (const which of [browseFiles, fileStats])
    void queryClient.invalidateQueries({ queryKey: keyOf(which) });
}
