import { useNavigate } from "@tanstack/react-router";
import {
  ArchiveRestore,
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
import { useCallback, useMemo } from "react";
import type { UploadId } from "#contract/ids.ts";
import type { Upload } from "#contract/upload.ts";
import { useFileKeeping } from "#console/domain/files/use-file-keeping.ts";
import { downloadStoredFile } from "#console/domain/files/stored-file.ts";
import {
  canCancel,
  canRetry,
  canWatch,
  isFileDeleted,
  retryWord,
  storedKeyOf,
} from "#console/domain/uploads/upload-rules.ts";
import { BASE_PATH } from "#console/lib/base-path.ts";
import { saveAsMp4 } from "#console/mp4/save-stored.ts";
import { mayBecomeMp4 } from "#console/lib/playable.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { copyText } from "#console/ui/copy-text.ts";
import type { MenuItem } from "#console/ui/menu.tsx";
import { toast } from "#console/ui/toast-store.ts";
import { useRetrying, useRetryUpload } from "./upload-actions.ts";
import type { UploadDialogKind } from "./uploads-search.ts";

/** A dialog about one upload. */
export type OpenUploadDialog = { readonly kind: UploadDialogKind; readonly upload: Upload };

/** Actions on uploads: made once for a list, not by each row. */
export type UploadActions = {
  /** Those that the upload's state forbids are omitted. */
  readonly itemsOf: (upload: Upload) => readonly (MenuItem & { readonly busy?: boolean })[];
  readonly isRetrying: (id: UploadId) => boolean;
};

export function useUploadActions(onDialog: (dialog: OpenUploadDialog) => void): UploadActions {
  const retry = useRetryUpload().mutate;
  const retrying = useRetrying();
  const writeMissing = useMissingPermission("write:uploads");
  const deleteMissing = useMissingPermission("delete:uploads");
  const keeping = useFileKeeping();
  const restore = keeping.restore.mutate;
  const trash = keeping.trash.mutate;
  const navigate = useNavigate();
  const itemsOf = useCallback(
    (upload: Upload) => {
      const { id } = upload;
      const fileKey = storedKeyOf(upload);
      const { twitchVodId } = upload.debugInfo;
      const isAgain = upload.status === "cancelled" || isFileDeleted(upload);
      const watchPath = canWatch(upload) ? `/watch/${id}` : null;
      const link = `${window.location.origin}${BASE_PATH}${watchPath ?? `/uploads?upload=${id}`}`;
      return [
        fileKey !== null &&
          (upload.isFileTrashed
            ? {
                label: "Restore",
                icon: <ArchiveRestore />,
                disabledReason: writeMissing,
                onSelect: () => restore([fileKey]),
              }
            : {
                label: "Move to Trash",
                icon: <Trash2 />,
                disabledReason: deleteMissing,
                onSelect: () => trash([fileKey]),
              }),
        watchPath !== null && {
          label: "Watch",
          icon: <Play />,
          onSelect: () => void navigate({ to: watchPath }),
        },
        fileKey !== null && {
          label: "Download",
          icon: <Download />,
          onSelect: () => void downloadStoredFile(fileKey),
        },
        fileKey !== null &&
          mayBecomeMp4({ uploadType: upload.kind, filename: upload.filename }) && {
            label: "Save as MP4",
            icon: <FileVideo />,
            onSelect: () => void saveAsMp4(fileKey),
          },
        canRetry(upload) && {
          label: retryWord(upload.failureClass),
          icon: <RotateCw />,
          disabledReason: writeMissing,
          busy: retrying.includes(id),
          onSelect: () => retry(id),
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
          onSelect: () => onDialog({ kind: "cancel", upload }),
        },
        {
          label: "Delete",
          icon: <CircleX />,
          danger: true,
          disabledReason: deleteMissing,
          onSelect: () => onDialog({ kind: "delete", upload }),
        },
      ].filter((item) => item !== false);
    },
    [onDialog, retry, retrying, writeMissing, deleteMissing, restore, trash, navigate],
  );
  return useMemo(
    () => ({ itemsOf, isRetrying: (id) => retrying.includes(id) }),
    [itemsOf, retrying],
  );
}
