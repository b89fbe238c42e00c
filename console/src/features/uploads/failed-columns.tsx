import { RotateCw, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Upload } from "#contract/upload.ts";
import { canRetry, FAILURE_ADVICE, isRetryUseful } from "#console/domain/uploads/upload-rules.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Badge } from "#console/ui/badge.tsx";
import { Button, IconButton } from "#console/ui/button.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { CopyButton } from "#console/ui/copy-button.tsx";
import layout from "#console/ui/layout.module.css";
import type { Column } from "#console/ui/list/data-table.tsx";
import { TextButton } from "#console/ui/text-button.tsx";
import { Time } from "#console/ui/time.tsx";
import styles from "./failed-uploads.module.css";
import { useIsRetrying } from "./upload-actions.ts";
import { UploadName } from "./upload-name.tsx";

/** Longer messages are clamped to one line. */
const FOLD_ABOVE = 30;

export function failedColumns(
  onRetry: (upload: Upload) => void,
  onDelete: (upload: Upload) => void,
): readonly Column<Upload>[] {
  return [
    {
      id: "file",
      header: "File Details",
      cell: (upload) => <UploadName upload={upload} />,
      className: styles.file,
      phone: "grow",
      fixed: true,
    },
    {
      id: "error",
      header: "Error",
      cell: (upload) => <FailureCell upload={upload} />,
      phone: "line",
    },
    {
      id: "retries",
      header: "Retries",
      cell: ({ retryCount, maxRetries }) => `${retryCount}/${maxRetries}`,
      phone: "grow",
      labelled: true,
    },
    {
      id: "failedAt",
      header: "Failed At",
      cell: ({ failedAt, createdAt }) => <Time at={failedAt ?? createdAt} />,
      className: styles.failedAt,
      phone: "grow",
      labelled: true,
    },
    {
      id: "actions",
      header: "Actions",
      cell: (upload) => <FailedActions upload={upload} onRetry={onRetry} onDelete={onDelete} />,
      fixed: true,
    },
  ];
}

function FailedActions({
  upload,
  onRetry,
  onDelete,
}: {
  readonly upload: Upload;
  readonly onRetry: (upload: Upload) => void;
  readonly onDelete: (upload: Upload) => void;
}) {
  const writeMissing = useMissingPermission("write:uploads");
  const deleteMissing = useMissingPermission("delete:uploads");
  const isRetrying = useIsRetrying(upload.id);
  const name = visibleText(upload.filename);
  const retry = isRetryUseful(upload) ? "Retry" : "Retry anyway";
  return (
    <span className={classNames(layout.row, layout.gap1, styles.rowActions)}>
      {!isRetryUseful(upload) && canRetry(upload) && (
        <span className={classNames(layout.note, styles.max)}>A retry can't help</span>
      )}
      {canRetry(upload) ? (
        <Button
          icon={<RotateCw />}
          aria-label={`${retry} ${name}`}
          busy={isRetrying}
          disabledReason={writeMissing}
          onClick={() => onRetry(upload)}
        >
          {retry}
        </Button>
      ) : (
        <span className={classNames(layout.note, styles.max)}>Max retries reached</span>
      )}
      <IconButton
        label={`Delete ${name}`}
        disabledReason={deleteMissing}
        onClick={() => onDelete(upload)}
      >
        <Trash2 />
      </IconButton>
    </span>
  );
}

function FailureCell({ upload }: { readonly upload: Upload }) {
  const [open, setOpen] = useState(false);
  const message = visibleText(upload.errorMessage ?? "No reason was recorded.");
  const advice = upload.failureClass === null ? null : FAILURE_ADVICE[upload.failureClass];
  return (
    <div className={styles.error}>
      <span className={classNames(layout.anywhere, styles.errorText)} data-open={open}>
        {message}
      </span>
      <span className={classNames(layout.wrap, layout.note, styles.errorFoot)}>
        {advice !== null && <Badge tone={advice.retryHelps ? "warn" : "bad"}>{advice.label}</Badge>}
        {message.length > FOLD_ABOVE && (
          <TextButton aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? "Show less" : "Show all"}
          </TextButton>
        )}
      </span>
      <CopyButton text={message} label="Copy error" />
    </div>
  );
}
