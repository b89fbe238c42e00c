import { Trash2 } from "lucide-react";
import { useState } from "react";
import type { DataOf } from "#contract/call.ts";
import type { browseFiles } from "#contract/files.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { reportOf, type BulkReport } from "#console/lib/bulk-run.ts";
import { formatPlural } from "#console/lib/format.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { BulkFailures } from "#console/ui/list/bulk-failures.tsx";
import { Button } from "#console/ui/button.tsx";
import { SelectionBar } from "#console/ui/list/selection-bar.tsx";
import { DeleteFilesDialog } from "./delete-files-dialog.tsx";
import { useFileBulkDeletion } from "./file-bulk-deletion.ts";
import { totalSizeOf, type useFileSelection } from "./use-file-selection.ts";

/** Count and size of the selected files, and their deletion from confirmation to report. */
export function FileSelectionBar({
  selected,
  facts,
}: {
  readonly selected: ReturnType<typeof useFileSelection>;
  readonly facts: DataOf<typeof browseFiles>["pagination"] | undefined;
}) {
  const { selection } = selected;
  const deleteMissing = useMissingPermission("delete:uploads");
  const { progress, stop, deleteAll } = useFileBulkDeletion();
  const [report, setReport] = useState<BulkReport | null>(null);
  const [asking, setAsking] = useState(false);

  async function deleteSelected() {
    const outcome = await deleteAll(selection);
    selected.keep(outcome.left);
    const count = formatPlural(outcome.failures.size, "file");
    setReport(
      reportOf(outcome, `${count} could not be deleted`, (key) => selection.get(key)?.name ?? key),
    );
  }
  return (
    <>
      <SelectionBar
        count={selection.size}
        note={selection.size > 0 ? formatBytes(totalSizeOf(selection)) : undefined}
        total={facts?.total ?? 0}
        totalIsCapped={facts?.totalIsCapped}
        isPageSelected={selected.isPageSelected}
        selectingAll={selected.selectingAll}
        progress={progress}
        onSelectPage={() => selected.selectPage(true)}
        onSelectAll={() => void selected.selectAllMatching()}
        onClear={selected.clear}
        onStop={stop}
      >
        <Button
          icon={<Trash2 />}
          busy={progress !== null}
          disabled={selection.size === 0}
          disabledReason={deleteMissing}
          onClick={() => setAsking(true)}
        >
          Delete Selected
        </Button>
      </SelectionBar>
      {report !== null && <BulkFailures {...report} onDismiss={() => setReport(null)} />}
      {asking && (
        <DeleteFilesDialog
          selection={selection}
          onConfirm={() => void deleteSelected()}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
