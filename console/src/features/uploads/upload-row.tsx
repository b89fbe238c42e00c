import { ChevronDown, TriangleAlert } from "lucide-react";
import { memo, type ReactNode } from "react";
import type { Upload } from "#contract/upload.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { useNow } from "#console/lib/clock.ts";
import { formatDuration } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Badge } from "#console/ui/badge.tsx";
import { IconButton } from "#console/ui/button.tsx";
import { Time } from "#console/ui/time.tsx";
import { UploadStatusBadge } from "#console/ui/upload-status-badge.tsx";
import { LazyDebugPanel } from "./lazy-debug-panel.tsx";
import { UploadName } from "./upload-name.tsx";
import { UploadProgress } from "./upload-progress.tsx";
import { elapsedSeconds, isFileDeleted } from "./upload-rules.ts";
import styles from "./uploads-table.module.css";

/** Comfortable widths on desktops, minimal ones on tablets. */
export const UPLOAD_COLUMNS = [
  { id: "file", header: "File" },
  { id: "status", header: "Status", width: "clamp(7rem, 9.9vw, 8.5rem)" },
  { id: "progress", header: "Progress", width: "clamp(9rem, 30vw - 12rem, 13rem)" },
  { id: "size", header: "Size", align: "end", width: "clamp(4.75rem, 6.4vw, 5.5rem)" },
  { id: "started", header: "Started", width: "clamp(5.75rem, 8.2vw, 7rem)" },
  { id: "duration", header: "Duration", align: "end", width: "clamp(4.75rem, 6.4vw, 5.5rem)" },
  { id: "debug", header: "Debug", width: "clamp(3.5rem, 5vw, 4.25rem)" },
  { id: "actions", header: "Actions", width: "clamp(4.75rem, 5.8vw, 5rem)" },
] as const;

/** Renders again only when its own upload changes, given stable callbacks. */
export const UploadRow = memo(function UploadRow({
  upload,
  open,
  onToggle,
  renderMenu,
}: {
  readonly upload: Upload;
  /** Whether the debug panel is open. */
  readonly open: boolean;
  readonly onToggle: (upload: Upload) => void;
  readonly renderMenu: (upload: Upload) => ReactNode;
}) {
  const panelId = `debug-${upload.id}`;
  return (
    <>
      <tr>
        <td data-wide="true">
          <UploadName upload={upload} />
        </td>
        <td className={styles.statusCell}>
          <span className={styles.status}>
            <UploadStatusBadge status={upload.status} />
            {upload.debugInfo.isStalled && (
              <Badge tone="warn" icon={<TriangleAlert aria-hidden="true" />}>
                STALLED
              </Badge>
            )}
            {isFileDeleted(upload) && <Badge tone="warn">File deleted</Badge>}
          </span>
        </td>
        <td data-wide="true">
          <UploadProgress upload={upload} />
        </td>
        <td className={styles.number} align="right" data-label="Size" data-grow="true">
          <UploadSize upload={upload} />
        </td>
        <td data-label="Started" data-grow="true">
          <Time at={upload.startedAt} absent="Not started" />
        </td>
        <td className={styles.number} align="right" data-label="Duration" data-grow="true">
          <UploadElapsed upload={upload} />
        </td>
        <td>
          <IconButton
            label={`Debug information of ${visibleText(upload.filename)}`}
            aria-expanded={open}
            data-shortcut="row"
            aria-controls={open ? panelId : undefined}
            onClick={() => onToggle(upload)}
          >
            <ChevronDown className={styles.chevron} data-open={open} />
          </IconButton>
        </td>
        <td>{renderMenu(upload)}</td>
      </tr>
      {open && (
        <tr id={panelId} className={styles.panelRow}>
          <td className={styles.debug} data-wide="true" colSpan={UPLOAD_COLUMNS.length}>
            <LazyDebugPanel upload={upload} />
          </td>
        </tr>
      )}
    </>
  );
});

function UploadSize({ upload }: { readonly upload: Upload }) {
  const sizeBytes = upload.originalSize ?? upload.processedSize;
  if (sizeBytes === 0 && upload.status !== "completed")
    return <span className={styles.estimate}>Unknown</span>;
  const isEstimate = upload.originalSizeIsEstimate && upload.status !== "completed";
  return (
    <span className={isEstimate ? styles.estimate : undefined}>
      {isEstimate && "~"}
      {formatBytes(sizeBytes)}
    </span>
  );
}

function UploadElapsed({ upload }: { readonly upload: Upload }) {
  if (upload.status === "processing") return <RunningElapsed upload={upload} />;
  const seconds = elapsedSeconds(upload, 0);
  return seconds === null ? <>&ndash;</> : <>{formatDuration(seconds)}</>;
}

/** Separate, so that only running uploads render again each second. */
function RunningElapsed({ upload }: { readonly upload: Upload }) {
  const seconds = elapsedSeconds(upload, useNow(1_000));
  return <>{formatDuration(seconds ?? 0)}</>;
}
