import { Download, FileJson, Table2 } from "lucide-react";
import { exportAudit, type AuditExportFormat } from "#contract/audit.ts";
import { MAX_AUDIT_EXPORT } from "#contract/limits.ts";
import { addressOf, type ViewOf } from "#console/lib/api-request.ts";
import { startDownload } from "#console/lib/download.ts";
import { formatCount } from "#console/lib/format.ts";
import { Button } from "#console/ui/button.tsx";
import { Menu } from "#console/ui/menu.tsx";
import { toast } from "#console/ui/toast-store.ts";

/** Downloads all entries that match the filters, authenticated by the session cookie. */
export function AuditExport({
  filters,
  total,
}: {
  readonly filters: Omit<ViewOf<typeof exportAudit>, "format">;
  /** Number of matching entries. */
  readonly total: number;
}) {
  function save(format: AuditExportFormat) {
    startDownload(addressOf(exportAudit, { query: { ...filters, format } }));
    if (total > MAX_AUDIT_EXPORT)
      toast.info(`The file contains the newest ${formatCount(MAX_AUDIT_EXPORT)} entries`);
  }
  return (
    <Menu
      label="Export"
      items={[
        {
          label: "JSON lines, to be verified offline",
          icon: <FileJson />,
          onSelect: () => save("jsonl"),
        },
        { label: "CSV, for a spreadsheet", icon: <Table2 />, onSelect: () => save("csv") },
      ]}
      renderTrigger={(props) => (
        <Button {...props} icon={<Download />}>
          Export
        </Button>
      )}
    />
  );
}
