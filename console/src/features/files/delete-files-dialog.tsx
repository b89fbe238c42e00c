import { fileStatusSchema, type FileStatus, type ObjectKey } from "#contract/files.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import type { BulkOutcome } from "#console/lib/bulk-run.ts";
import { formatCount, formatPlural } from "#console/lib/format.ts";
import { classNames } from "#console/ui/class-names.ts";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { DialogSubject } from "#console/ui/dialog.tsx";
import styles from "./files-table.module.css";
import { useFileBulkDeletion } from "./file-deletion.ts";
import { deletableOf, totalSizeOf, type FileSelection } from "./use-file-selection.ts";

const NAMES_SHOWN = 5;

/** What is lost by deleting files of a status. */
const LOSSES: Readonly<Record<FileStatus, (count: string) => string>> = {
  complete: (files) => `${files} complete: verified copies, lost unless the source still has them.`,
  partial: (files) => `${files} partial: a retry of their uploads starts over.`,
  orphaned: (files) => `${files} orphaned: no upload needs them.`,
};

/** Confirms and starts a bulk deletion: count, size, names, and what is lost. */
export function DeleteFilesDialog({
  selection,
  onDone,
  onClose,
}: {
  readonly selection: FileSelection;
  readonly onDone: (outcome: BulkOutcome<ObjectKey>) => void;
  readonly onClose: () => void;
}) {
  const deleteAll = useFileBulkDeletion();
  const files = deletableOf(selection);
  const running = selection.size - files.length;
  const count = formatPlural(files.length, "file");
  const rest = files.length - NAMES_SHOWN;
  const names = files.slice(0, NAMES_SHOWN).map(({ name }) => name);
  return (
    <ConfirmDialog
      title="Delete files"
      question={`Are you sure you want to delete ${count}? This action cannot be undone.`}
      confirmLabel={`Delete ${count}`}
      typed={files.length > 1 ? formatCount(files.length) : undefined}
      danger
      onConfirm={() => void deleteAll(selection).then(onDone)}
      onClose={onClose}
    >
      <DialogSubject
        name={`${formatBytes(totalSizeOf(files))} in ${count}`}
        detail={`${names.join(", ")}${rest > 0 ? ` and ${formatCount(rest)} more` : ""}`}
      />
      <ul className={classNames("small soft", styles.losses)}>
        {fileStatusSchema.options.flatMap((status) => {
          const ofStatus = files.filter((file) => file.status === status).length;
          return ofStatus === 0
            ? []
            : [<li key={status}>{LOSSES[status](formatCount(ofStatus))}</li>];
        })}
        {running > 0 && (
          <li>{formatCount(running)} of running uploads stay: cancel these uploads first.</li>
        )}
      </ul>
    </ConfirmDialog>
  );
}
