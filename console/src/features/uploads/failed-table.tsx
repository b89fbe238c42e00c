import type { ReactNode } from "react";
import { DEFAULT_PAGE_SIZE } from "#contract/limits.ts";
import type { Upload } from "#contract/upload.ts";
import { SkeletonRows, Table } from "#console/ui/list/table.tsx";

export function FailedTable({
  uploads,
  busy,
  selectAllBox,
  renderRow,
}: {
  /** Undefined until the first answer. */
  readonly uploads: readonly Upload[] | undefined;
  readonly busy: boolean;
  readonly selectAllBox: ReactNode;
  readonly renderRow: (upload: Upload) => ReactNode;
}) {
  const columns = [
    { id: "select", header: selectAllBox },
    { id: "file", header: "File Details" },
    { id: "error", header: "Error" },
    { id: "retries", header: "Retries" },
    { id: "failedAt", header: "Failed At" },
    { id: "actions", header: "Actions" },
  ];
  return (
    <Table caption="Failed uploads" columns={columns} busy={busy} stacked>
      {uploads === undefined ? (
        <SkeletonRows rows={DEFAULT_PAGE_SIZE / 2} columns={columns.length} />
      ) : (
        uploads.map(renderRow)
      )}
    </Table>
  );
}
