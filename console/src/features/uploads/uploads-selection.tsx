import { useSelector } from "@tanstack/react-store";
import { Ban, RotateCw, Trash2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { UploadId } from "#contract/ids.ts";
import { MAX_PAGE_SIZE } from "#contract/limits.ts";
import type { Upload } from "#contract/upload.ts";
import { cancelUpload, listUploads } from "#contract/uploads.ts";
import { useFileKeeping } from "#console/domain/files/use-file-keeping.ts";
import {
  canCancel,
  canRetryAmongOthers,
  storedKeyOf,
} from "#console/domain/uploads/upload-rules.ts";
import { RETRYING, useFailureActions } from "#console/domain/uploads/failure-actions.ts";
import type { UploadsView } from "#console/domain/uploads/uploads-view.ts";
import { call } from "#console/lib/api-client.ts";
import { bulkState } from "#console/lib/bulk-state.ts";
import { formatCount, formatPlural } from "#console/lib/format.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import type { List } from "#console/lib/use-list.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Button } from "#console/ui/button.tsx";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { DialogSubject } from "#console/ui/dialog.tsx";
import { SelectionBar } from "#console/ui/list/selection-bar.tsx";
import { useSelection } from "#console/ui/list/use-selection.ts";
import { EACH_VERBS, useEachUpload } from "./upload-actions.ts";

/** Pages that *Select all matching* reads; there is no call for all ids. */
const MOST_PAGES = 10;

const NAMES_SHOWN = 5;

function read(upload: Upload) {
  const known = {
    name: upload.metadata.streamTitle ?? upload.filename,
    canCancel: canCancel(upload),
    canRetry: canRetryAmongOthers(upload),
    /** Of what may go to the trash. */
    fileKey: upload.isFileTrashed ? null : storedKeyOf(upload),
  };
  return [upload.id, known] as const;
}

/** Selected uploads: rows, this page, or the first thousand that match. */
export function useUploadSelection(rows: readonly Upload[], { page: _page, ...view }: UploadsView) {
  return useSelection<Upload, UploadId, ReturnType<typeof read>[1]>({
    page: rows,
    scope: JSON.stringify(view),
    read,
    async fetchMatching() {
      const found: Upload[] = [];
      for (let page = 1; page <= MOST_PAGES; page += 1) {
        const query = { ...view, page, limit: MAX_PAGE_SIZE };
        const { items, hasNext } = await call(listUploads, { query });
        found.push(...items);
        if (!hasNext) return { rows: found.map(read), isCapped: false };
      }
      return { rows: found.map(read), isCapped: true };
    },
    cappedText: (count) => `Selected the first ${count} uploads`,
  });
}

/** The actions on the selected uploads; without a selection, `idle`. */
export function UploadSelectionBar({
  list,
  selected,
  idle,
}: {
  readonly list: List<Upload>;
  readonly selected: ReturnType<typeof useUploadSelection>;
  readonly idle: ReactNode;
}) {
  const [asks, setAsks] = useState(false);
  const cancelEach = useEachUpload("cancel");
  const { retry } = useFailureActions();
  const { trash } = useFileKeeping();
  const disabledReason = useMissingPermission("write:uploads");
  const deleteMissing = useMissingPermission("delete:uploads");
  const { progress } = useSelector(bulkState);
  const { selection } = selected;
  const open = [...selection].filter(([, known]) => known.canCancel);
  const retryable = [...selection].flatMap(([id, { canRetry: may }]) => (may ? [id] : []));
  const trashable = [...selection.values()].flatMap(({ fileKey }) => fileKey ?? []);
  const nameOf = (id: UploadId) => selection.get(id)?.name ?? id;

  async function cancelAll(): Promise<void> {
    const { left } = await cancelEach(
      open.map(([id]) => id),
      nameOf,
      (id) => call(cancelUpload, { params: { id } }),
    );
    await selected.keep(left);
  }

  return (
    <SelectionBar list={list} selected={selected} idle={idle}>
      <Button
        icon={<Ban />}
        busy={progress?.verb === EACH_VERBS.cancel}
        disabled={open.length === 0 || progress !== null}
        disabledReason={disabledReason}
        onClick={() => setAsks(true)}
      >
        Cancel Selected ({formatCount(open.length)})
      </Button>
      <Button
        icon={<RotateCw />}
        busy={progress?.verb === RETRYING}
        disabled={retryable.length === 0 || progress !== null}
        disabledReason={disabledReason}
        onClick={() => void retry(retryable, nameOf).then(({ left }) => selected.keep(left))}
      >
        Retry Selected ({formatCount(retryable.length)})
      </Button>
      <Button
        icon={<Trash2 />}
        busy={trash.isPending}
        disabled={trashable.length === 0}
        disabledReason={deleteMissing}
        onClick={() => trash.mutate(trashable, { onSuccess: selected.clear })}
      >
        Move to Trash ({formatCount(trashable.length)})
      </Button>
      {asks && (
        <ConfirmDialog
          title="Cancel uploads"
          question={`Are you sure you want to cancel ${formatPlural(open.length, "upload")}? A cancelled upload can't be resumed.`}
          confirmLabel="Cancel uploads"
          typed={open.length > 1 ? formatCount(open.length) : undefined}
          dismissLabel="Keep them"
          danger
          onConfirm={() => void cancelAll()}
          onClose={() => setAsks(false)}
        >
          <DialogSubject
            name={open
              .slice(0, NAMES_SHOWN)
              .map(([, { name }]) => visibleText(name))
              .join(", ")}
            detail={
              <>
                {open.length > NAMES_SHOWN &&
                  `and ${formatCount(open.length - NAMES_SHOWN)} more. `}
                What is stored of them so far will be deleted.
              </>
            }
          />
        </ConfirmDialog>
      )}
    </SelectionBar>
  );
}
