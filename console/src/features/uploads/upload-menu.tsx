import { Ban, Download, EllipsisVertical, Play, RotateCw, Trash2 } from "lucide-react";
import type { Upload } from "#contract/upload.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { IconButton } from "#console/ui/button.tsx";
import { Menu, type MenuItem } from "#console/ui/menu.tsx";
import { downloadStoredFile } from "#console/features/files/stored-file.ts";
import { canCancel, canRetry, isRetryUseful, mayPlay } from "./upload-rules.ts";

/** Actions on an upload; those that its state forbids are omitted. */
export function UploadMenu({
  upload,
  onRetry,
  onCancel,
  onDelete,
  onPlay,
}: {
  readonly upload: Upload;
  readonly onRetry: () => void;
  readonly onCancel: () => void;
  readonly onDelete: () => void;
  readonly onPlay: () => void;
}) {
  const writeMissing = useMissingPermission("write:uploads");
  const deleteMissing = useMissingPermission("delete:uploads");
  const { fileKey } = upload;
  const items: MenuItem[] = [];
  if (fileKey !== null && upload.status === "completed") {
    if (mayPlay(upload)) items.push({ label: "Play", icon: <Play />, onSelect: onPlay });
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
      onSelect: onRetry,
    });
  }
  if (canCancel(upload)) {
    items.push({
      label: "Cancel",
      icon: <Ban />,
      disabledReason: writeMissing,
      onSelect: onCancel,
    });
  }
  items.push({
    label: "Delete",
    icon: <Trash2 />,
    danger: true,
    disabledReason: deleteMissing,
    onSelect: onDelete,
  });
  const name = visibleText(upload.filename);
  return (
    <Menu
      label={`Actions for ${name}`}
      items={items}
      renderTrigger={(props) => (
        <IconButton {...props} label={`Actions for ${name}`}>
          <EllipsisVertical />
        </IconButton>
      )}
    />
  );
}
