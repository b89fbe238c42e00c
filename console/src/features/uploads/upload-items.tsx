import { useNavigate } from "@tanstack/react-router";
import {
  Ban,
  CircleX,
  CloudDownload,
  Download,
  FileVideo,
  Link,
  Play,
  RotateCw,
  Trash2,
} from "lucide-react";
import type { Upload } from "#contract/upload.ts";
import { useFileKeeping } from "#console/domain/files/use-file-keeping.ts";
import { downloadStoredFile } from "#console/domain/files/stored-file.ts";
import {
  canCancel,
  canRetry,
  canWatch,
  isFileDeleted,
  isRetryUseful,
} from "#console/domain/uploads/upload-rules.ts";
import { BASE_PATH } from "#console/lib/base-path.ts";
import { mayBecomeMp4 } from "#console/lib/playable.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { copyText } from "#console/ui/copy-text.ts";
import type { MenuItem } from "#console/ui/menu.tsx";
import { toast } from "#console/ui/toast-store.ts";
import { useIsRetrying, useRetryUpload } from "./upload-actions.ts";
import type { UploadDialogKind } from "./uploads-search.ts";

/** Actions on an upload; those that its state forbids are omitted. */
export function useUploadItems(
  upload: Upload,
  onDialog: (kind: UploadDialogKind) => void,
): readonly (MenuItem & { readonly busy?: boolean })[] {
  const retry = useRetryUpload();
  const busy = useIsRetrying(upload.id);
  const writeMissing = useMissingPermission("write:uploads");
  const deleteMissing = useMissingPermission("delete:uploads");
  const { trash } = useFileKeeping();
  const navigate = useNavigate();
  const { fileKey, id } = upload;
  const { twitchVodId } = upload.debugInfo;
  const isStored = fileKey !== null && upload.status === "completed";
  const isAgain = upload.status === "cancelled" || isFileDeleted(upload);
  const watchPath = canWatch(upload) ? `/watch/${id}` : null;
  const link = `${window.location.origin}${BASE_PATH}${watchPath ?? `/uploads?upload=${id}`}`;
  return [
    isStored && {
      label: "Move to Trash",
      icon: <Trash2 />,
      disabledReason: deleteMissing,
      onSelect: () => trash.mutate([fileKey]),
    },
    watchPath !== null && {
      label: "Watch",
      icon: <Play />,
      onSelect: () => void navigate({ to: watchPath }),
    },
    isStored && {
      label: "Download",
      icon: <Download />,
      onSelect: () => void downloadStoredFile(fileKey),
    },
    isStored &&
      mayBecomeMp4({ uploadType: upload.kind, filename: upload.filename }) && {
        label: "Save as MP4",
        icon: <FileVideo />,
        onSelect: () => onDialog("mp4"),
      },
    canRetry(upload) && {
      label: isRetryUseful(upload) ? "Retry" : "Retry anyway",
      icon: <RotateCw />,
      disabledReason: writeMissing,
      busy,
      onSelect: () => retry.mutate(id),
    },
    twitchVodId !== null &&
      isAgain && {
        label: "Archive again",
        icon: <CloudDownload />,
        disabledReason: writeMissing,
        onSelect: () => void navigate({ to: "/uploads", search: { archive: twitchVodId } }),
      },
    {
      label: "Copy link",
      icon: <Link />,
      onSelect: () => void copyText(link, () => toast.success("Link copied")),
    },
    canCancel(upload) && {
      label: "Cancel",
      icon: <Ban />,
      disabledReason: writeMissing,
      onSelect: () => onDialog("cancel"),
    },
    {
      label: "Delete",
      icon: <CircleX />,
      danger: true,
      disabledReason: deleteMissing,
      onSelect: () => onDialog("delete"),
    },
  ].filter((item) => item !== false);
}
