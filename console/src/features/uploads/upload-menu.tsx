import { getRouteApi } from "@tanstack/react-router";
import { Ban, CloudDownload, Download, Play, RotateCw, Trash2 } from "lucide-react";
import type { Upload } from "#contract/upload.ts";
import { downloadStoredFile } from "#console/domain/files/stored-file.ts";
import {
  canCancel,
  canRetry,
  canWatch,
  isFileDeleted,
  isRetryUseful,
} from "#console/domain/uploads/upload-rules.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { RowMenu } from "#console/ui/list/row-menu.tsx";
import type { MenuItem } from "#console/ui/menu.tsx";
import { useIsRetrying, useRetryUpload } from "./upload-actions.ts";

/** A dialog about one upload. */
export type UploadDialog = {
  readonly kind: "cancel" | "delete";
  readonly upload: Upload;
};

const route = getRouteApi("/uploads");

/** Actions on an upload; those that its state forbids are omitted. */
export function UploadMenu({
  upload,
  onDialog,
}: {
  readonly upload: Upload;
  readonly onDialog: (dialog: UploadDialog) => void;
}) {
  const retry = useRetryUpload();
  const writeMissing = useMissingPermission("write:uploads");
  const deleteMissing = useMissingPermission("delete:uploads");
  const isRetrying = useIsRetrying(upload.id);
  const navigate = route.useNavigate();
  const { fileKey } = upload;
  const { twitchVodId } = upload.debugInfo;
  const items: MenuItem[] = [];
  if (canWatch(upload)) {
    items.push({
      label: "Watch",
      icon: <Play />,
      onSelect: () => void navigate({ to: "/watch/$uploadId", params: { uploadId: upload.id } }),
    });
  }
  if (fileKey !== null && upload.status === "completed") {
    items.push({
      label: "Download",
      icon: <Download />,
      onSelect: () => void downloadStoredFile(fileKey),
    });
  }
  if (canRetry(upload)) {
    items.push({
      label: isRetryUseful(upload) ? "Retry" : "Retry anyway",
      icon: <RotateCw />,
      disabledReason: writeMissing,
      onSelect: () => retry.mutate(upload.id),
    });
  }
  if (twitchVodId !== null && (upload.status === "cancelled" || isFileDeleted(upload))) {
    items.push({
      label: "Archive again",
      icon: <CloudDownload />,
      disabledReason: writeMissing,
      onSelect: () => void navigate({ search: (now) => ({ ...now, archive: twitchVodId }) }),
    });
  }
  if (canCancel(upload)) {
    items.push({
      label: "Cancel",
      icon: <Ban />,
      disabledReason: writeMissing,
      onSelect: () => onDialog({ kind: "cancel", upload }),
    });
  }
  items.push({
    label: "Delete",
    icon: <Trash2 />,
    danger: true,
    disabledReason: deleteMissing,
    onSelect: () => onDialog({ kind: "delete", upload }),
  });
  return <RowMenu name={visibleText(upload.filename)} items={items} busy={isRetrying} />;
}
