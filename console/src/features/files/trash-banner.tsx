import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { DataOf } from "#contract/call.ts";
import { browseFiles } from "#contract/files.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { emptyTrash } from "#contract/trash.ts";
import { call } from "#console/lib/api-client.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { keyOf } from "#console/lib/call-query.ts";
import { formatCount, formatPlural } from "#console/lib/format.ts";
import { showOwnChange } from "#console/lib/query-client.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { Banner } from "#console/ui/banner.tsx";
import { Button } from "#console/ui/button.tsx";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { toast } from "#console/ui/toast-store.ts";

/** What happens to the files in the trash, and a way to make room at once. */
export function TrashBanner({
  summary: { totalFiles, totalSizeFormatted },
}: {
  /** Of the whole trash. */
  readonly summary: DataOf<typeof browseFiles>["summary"];
}) {
  const queryClient = useQueryClient();
  const deleteMissing = useMissingPermission("delete:uploads");
  const [asking, setAsking] = useState(false);
  const [left, setLeft] = useState<number | null>(null);
  const empty = useMutation({
    /** Each call deletes the oldest files, and says how many are left. */
    async mutationFn() {
      let deleted = 0;
      let freedBytes = 0;
      for (let isMore = true; isMore;) {
        const answer = await call(emptyTrash);
        deleted += answer.deleted;
        freedBytes += answer.freed;
        setLeft(answer.left);
        isMore = answer.left > 0 && answer.deleted > 0;
      }
      return { deleted, freedBytes };
    },
    onSuccess: ({ deleted, freedBytes }) =>
      toast.success(`Deleted ${formatPlural(deleted, "file")}: ${formatBytes(freedBytes)} freed`),
    onSettled() {
      showOwnChange();
      void queryClient.invalidateQueries({ queryKey: keyOf(browseFiles).slice(0, 1) });
    },
  });
  return (
    <>
      <Banner
        tone="info"
        actions={
          <Button disabledReason={deleteMissing} onClick={() => setAsking(true)}>
            Empty the trash
          </Button>
        }
      >
        Each file is deleted on its day, unless it is restored before.
      </Banner>
      {asking && (
        <ConfirmDialog
          title="Empty the trash"
          question={`Are you sure you want to delete ${formatPlural(totalFiles, "file")} of ${totalSizeFormatted} now? This action cannot be undone.`}
          confirmLabel="Empty the trash"
          danger
          typed={totalFiles > 1 ? formatCount(totalFiles) : undefined}
          onConfirm={async () => void (await empty.mutateAsync())}
          onClose={() => setAsking(false)}
          describeError={(error) => messageOf(error, "Failed to empty the trash")}
        >
          {empty.isPending && left !== null && (
            <p role="status">{formatCount(left)} are left to delete.</p>
          )}
        </ConfirmDialog>
      )}
    </>
  );
}
