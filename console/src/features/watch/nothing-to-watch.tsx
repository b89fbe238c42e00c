import { Link } from "@tanstack/react-router";
import { FileX, RefreshCw } from "lucide-react";
import type { Upload } from "#contract/upload.ts";
import { isFileDeleted } from "#console/domain/uploads/upload-rules.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Button, buttonClassName } from "#console/ui/button.tsx";
import { EmptyState } from "#console/ui/empty-state.tsx";
import { UploadStatusBadge } from "#console/ui/upload-status-badge.tsx";

/** Why there is no video: no such upload, or it has no file. */
export function NothingToWatch({
  upload,
  refreshing = false,
  onRefresh,
}: {
  /** Undefined if there is none. */
  readonly upload?: Upload;
  readonly refreshing?: boolean;
  readonly onRefresh?: () => void;
}) {
  const isOpen = upload?.status === "pending" || upload?.status === "processing";
  return (
    <EmptyState
      icon={<FileX />}
      title={titleOf(upload, isOpen)}
      hint={
        upload === undefined ? (
          "This address belongs to no upload. It may have been deleted."
        ) : isFileDeleted(upload) ? (
          "Its file was deleted."
        ) : upload.errorMessage === null ? (
          <UploadStatusBadge status={upload.status} />
        ) : (
          visibleText(upload.errorMessage)
        )
      }
      action={
        <>
          {isOpen && (
            <Button
              icon={<RefreshCw />}
              aria-keyshortcuts="r"
              data-shortcut="refresh"
              busy={refreshing}
              onClick={onRefresh}
            >
              Refresh
            </Button>
          )}
          <Link
            to="/uploads"
            search={{ upload: upload?.id }}
            className={buttonClassName("secondary")}
          >
            Upload Monitor
          </Link>
        </>
      }
    />
  );
}

function titleOf(upload: Upload | undefined, isOpen: boolean): string {
  if (upload === undefined) return "There is nothing to watch here";
  return isOpen ? "This video is not stored yet" : "This video has no file";
}
