import { RotateCw, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Upload } from "#contract/upload.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Badge } from "#console/ui/badge.tsx";
import { Button, IconButton } from "#console/ui/button.tsx";
import { Checkbox } from "#console/ui/checkbox.tsx";
import { CopyButton } from "#console/ui/copy-button.tsx";
import { TextButton } from "#console/ui/text-button.tsx";
import { Time } from "#console/ui/time.tsx";
import styles from "./failed-uploads.module.css";
import { UploadName } from "./upload-name.tsx";
import { canRetry, FAILURE_ADVICE, isRetryUseful } from "./upload-rules.ts";

/** Longer messages are clamped to two lines. */
const FOLD_ABOVE = 120;

export function FailedRow({
  upload,
  selected,
  busy,
  onSelect,
  onRetry,
  onDelete,
}: {
  readonly upload: Upload;
  readonly selected: boolean;
  readonly busy: boolean;
  readonly onSelect: (selected: boolean, shiftKey: boolean) => void;
  readonly onRetry: () => void;
  readonly onDelete: () => void;
}) {
  const writeMissing = useMissingPermission("write:uploads");
  const deleteMissing = useMissingPermission("delete:uploads");
  const name = visibleText(upload.filename);
  return (
    <tr data-selected={selected}>
      <td>
        <Checkbox
          label={`Select ${name}`}
          labelHidden
          checked={selected}
          onChange={(next, { shiftKey }) => onSelect(next, shiftKey)}
        />
      </td>
      <td data-grow="true">
        <UploadName upload={upload} />
      </td>
      <td data-wide="true">
        <FailureCell upload={upload} />
      </td>
      <td data-label="Retries" data-grow="true">
        {upload.retryCount}/{upload.maxRetries}
      </td>
      <td data-label="Failed At" data-grow="true">
        <Time at={upload.failedAt ?? upload.createdAt} />
      </td>
      <td>
        <span className={styles.rowActions}>
          {canRetry(upload) && isRetryUseful(upload) ? (
            <Button
              icon={<RotateCw />}
              aria-label={`Retry ${name}`}
              busy={busy}
              disabledReason={writeMissing}
              onClick={onRetry}
            >
              Retry
            </Button>
          ) : (
            <span className={styles.max}>
              {canRetry(upload) ? "A retry can't help" : "Max retries reached"}
            </span>
          )}
          <IconButton label={`Delete ${name}`} disabledReason={deleteMissing} onClick={onDelete}>
            <Trash2 />
          </IconButton>
        </span>
      </td>
    </tr>
  );
}

function FailureCell({ upload }: { readonly upload: Upload }) {
  const [open, setOpen] = useState(false);
  const message = visibleText(upload.errorMessage ?? "No reason was recorded.");
  const advice = upload.failureClass === null ? null : FAILURE_ADVICE[upload.failureClass];
  return (
    <div className={styles.error}>
      <span className={styles.errorText} data-open={open}>
        {message}
      </span>
      <span className={styles.errorFoot}>
        {advice !== null && <Badge tone={advice.retryHelps ? "warn" : "bad"}>{advice.label}</Badge>}
        {message.length > FOLD_ABOVE && (
          <TextButton aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? "Show less" : "Show all"}
          </TextButton>
        )}
        <CopyButton text={message} label="Copy error" />
      </span>
    </div>
  );
}
