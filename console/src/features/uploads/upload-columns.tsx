import { useQuery } from "@tanstack/react-query";
import { ChevronDown, TriangleAlert } from "lucide-react";
import type { Upload } from "#contract/upload.ts";
import { UploadProgress } from "#console/domain/uploads/upload-progress.tsx";
import { uploadQuery } from "#console/domain/uploads/upload-query.ts";
import { UploadSize } from "#console/domain/uploads/upload-size.tsx";
import { elapsedSeconds, isFileDeleted } from "#console/domain/uploads/upload-rules.ts";
import { useNow } from "#console/lib/clock.ts";
import { formatDuration, formatPercent } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Badge } from "#console/ui/badge.tsx";
import { IconButton } from "#console/ui/button.tsx";
import { classNames } from "#console/ui/class-names.ts";
import type { Column } from "#console/ui/list/data-table.tsx";
import { RowMenu } from "#console/ui/list/row-menu.tsx";
import { Time } from "#console/ui/time.tsx";
import { UploadStatusBadge } from "#console/ui/upload-status-badge.tsx";
import type { UploadActions } from "./upload-items.tsx";
import { UploadName } from "./upload-name.tsx";
import styles from "./uploads-table.module.css";

const FIGURE = { className: "nowrap", phone: "hidden" } as const;

/** Comfortable widths on desktops, minimal ones on laptops and tablets: the title needs the room. */
export function uploadColumns({ itemsOf, isRetrying }: UploadActions): readonly Column<Upload>[] {
  return [
    {
      id: "file",
      header: "File",
      cell: (upload) => <UploadName upload={upload} />,
      className: styles.line,
      phone: "title",
      sort: { by: "filename", first: "asc" },
    },
    {
      id: "status",
      header: "Status",
      cell: (upload) => <UploadState upload={upload} />,
      goneCell: (upload) => <GoneState upload={upload} />,
      width: "clamp(6.875rem, 8.75vw, 8.5rem)",
      phone: "rest",
      sort: { by: "status", first: "asc" },
    },
    {
      id: "progress",
      header: "Progress",
      cell: (upload) => <UploadProgress upload={upload} />,
      width: "clamp(6.5rem, 30vw - 17.5rem, 24rem)",
      phone: "hidden",
    },
    {
      id: "size",
      header: "Size",
      cell: (upload) => <UploadSize upload={upload} />,
      align: "end",
      width: "clamp(4.25rem, 5.3vw, 5.5rem)",
      ...FIGURE,
      sort: { by: "size", first: "desc" },
    },
    {
      id: "started",
      header: "Started",
      cell: ({ startedAt, status }) => (
        <Time
          at={startedAt}
          absent="Not started"
          stepMs={status === "processing" ? 1_000 : 10_000}
        />
      ),
      width: "clamp(5.25rem, 6.5vw, 7rem)",
      ...FIGURE,
      sort: { by: "startedAt", first: "desc" },
    },
    {
      id: "duration",
      header: "Duration",
      cell: (upload) => <UploadElapsed upload={upload} />,
      align: "end",
      width: "clamp(4.125rem, 5.2vw, 5.5rem)",
      ...FIGURE,
    },
    {
      id: "debug",
      header: "Debug",
      cell: ({ filename }, expander) => (
        <IconButton {...expander} label={`Debug information of ${visibleText(filename)}`}>
          <ChevronDown className={styles.chevron} data-open={expander["aria-expanded"]} />
        </IconButton>
      ),
      width: "3rem",
      phone: "hidden",
    },
    {
      id: "actions",
      header: "Actions",
      cell: (upload) => (
        <RowMenu
          name={visibleText(upload.filename)}
          items={() => itemsOf(upload)}
          busy={isRetrying(upload.id)}
        />
      ),
      width: "4rem",
      phone: "corner",
    },
  ];
}

function UploadState({ upload }: { readonly upload: Upload }) {
  return (
    <span className="wrap gap1">
      <UploadStatusBadge status={upload.status} />
      {upload.status === "processing" && !upload.metadata.isLive && (
        <span className={classNames("tiny", styles.percent)}>{formatPercent(upload.progress)}</span>
      )}
      {upload.debugInfo.isStalled && (
        <Badge tone="warn" icon={<TriangleAlert />}>
          STALLED
        </Badge>
      )}
      {isFileDeleted(upload) && <Badge tone="warn">File deleted</Badge>}
      {upload.isFileTrashed && <Badge tone="warn">In the trash</Badge>}
    </span>
  );
}

/** Of a row that has left the list: the upload as it is now. */
function GoneState({ upload }: { readonly upload: Upload }) {
  const { data, isError } = useQuery(uploadQuery(upload.id));
  return isError ? <Badge tone="neutral">Deleted</Badge> : <UploadState upload={data ?? upload} />;
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
