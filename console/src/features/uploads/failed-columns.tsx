import { RotateCw } from "lucide-react";
import type { Upload } from "#contract/upload.ts";
import { canRetry, FAILURE_ADVICE, retryWord } from "#console/domain/uploads/upload-rules.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Badge } from "#console/ui/badge.tsx";
import { Button } from "#console/ui/button.tsx";
import type { Column } from "#console/ui/list/data-table.tsx";
import { RowMenu } from "#console/ui/list/row-menu.tsx";
import { Time } from "#console/ui/time.tsx";
import styles from "./failed-uploads.module.css";
import type { UploadActions } from "./upload-items.tsx";
import { UploadName } from "./upload-name.tsx";

export function failedColumns(
  onRetry: (upload: Upload) => void,
  actions: UploadActions,
): readonly Column<Upload>[] {
  return [
    {
      id: "file",
      header: "File Details",
      cell: (upload) => <UploadName upload={upload} />,
      phone: "title",
    },
    {
      id: "error",
      header: "Error",
      cell: (upload) => <FailureCell upload={upload} />,
      width: "27%",
      phone: "grow",
    },
    {
      id: "retries",
      header: "Retries",
      cell: ({ retryCount, maxRetries }) => `${retryCount}/${maxRetries}`,
      width: "4.5rem",
      phone: "hidden",
    },
    {
      id: "failedAt",
      header: "Failed At",
      cell: ({ failedAt, createdAt }) => <Time at={failedAt ?? createdAt} />,
      width: "6.75rem",
      phone: "hidden",
    },
    {
      id: "actions",
      header: "Actions",
      cell: (upload) => <FailedActions upload={upload} onRetry={onRetry} actions={actions} />,
      width: "12rem",
    },
  ];
}

function FailedActions({
  upload,
  onRetry,
  actions: { itemsOf, isRetrying },
}: {
  readonly upload: Upload;
  readonly onRetry: (upload: Upload) => void;
  readonly actions: UploadActions;
}) {
  const writeMissing = useMissingPermission("write:uploads");
  const busy = isRetrying(upload.id);
  const name = visibleText(upload.filename);
  const retry = retryWord(upload.failureClass);
  return (
    <span className="row gap1 end">
      {canRetry(upload) ? (
        <Button
          icon={<RotateCw />}
          aria-label={`${retry} ${name}`}
          busy={busy}
          disabledReason={writeMissing}
          onClick={() => onRetry(upload)}
        >
          {retry}
        </Button>
      ) : (
        <span className="note nowrap">Max retries reached</span>
      )}
      <RowMenu name={name} items={() => itemsOf(upload)} busy={busy} />
    </span>
  );
}

/** One line; the upload's details have all of it. */
function FailureCell({ upload }: { readonly upload: Upload }) {
  const message = visibleText(upload.errorMessage ?? "No reason was recorded.");
  const advice = upload.failureClass === null ? null : FAILURE_ADVICE[upload.failureClass];
  return (
    <div className={styles.error}>
      <div className="oneLine" title={message}>
        {message}
      </div>
      {advice !== null && <Badge tone={advice.retryHelps ? "warn" : "bad"}>{advice.label}</Badge>}
    </div>
  );
}
