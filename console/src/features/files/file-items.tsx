import { useNavigate } from "@tanstack/react-router";
import {
  Activity,
  ArchiveRestore,
  CircleX,
  Download,
  Eye,
  FileVideo,
  Lock,
  Trash2,
} from "lucide-react";
import { useCallback } from "react";
import type { StoredFile } from "#contract/files.ts";
import { downloadRefusal, storedRefusal } from "#console/domain/files/file-words.ts";
import { downloadStoredFile } from "#console/domain/files/stored-file.ts";
import { useFileKeeping } from "#console/domain/files/use-file-keeping.ts";
import { mayBecomeMp4 } from "#console/lib/playable.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { saveAsMp4 } from "#console/mp4/save-stored.ts";
import type { MenuItem } from "#console/ui/menu.tsx";

/** `isLoaded` of a file with its own details, for which the store was checked. */
export type FileActions = (file: StoredFile, isLoaded?: boolean) => readonly MenuItem[];

/** What can be done with each file: made once, not by each row. */
export function useFileActions({
  deleting = false,
  onDetails,
  onDelete,
}: {
  /** A deletion is in progress. */
  readonly deleting?: boolean;
  /** Undefined where the details are open, or opened otherwise. */
  readonly onDetails?: (file: StoredFile) => void;
  /** Undefined where nothing is asked. */
  readonly onDelete?: (file: StoredFile) => void;
}): FileActions {
  const navigate = useNavigate();
  const keeping = useFileKeeping();
  const lock = keeping.lock.mutate;
  const restore = keeping.restore.mutate;
  const trash = keeping.trash.mutate;
  const writeMissing = useMissingPermission("write:uploads");
  const deleteMissing = useMissingPermission("delete:uploads");
  return useCallback(
    (file, isLoaded = false) => {
      const downloadRefused = (isLoaded ? storedRefusal : downloadRefusal)(file);
      const { key, uploadId } = file;
      const isFree = file.lockedAt === null;
      const isTrashable = file.trashedAt === null && !file.isUploadRunning;
      return [
        isTrashable && {
          label: "Move to Trash",
          icon: <Trash2 />,
          disabledReason: isFree ? deleteMissing : "Unlock it first.",
          onSelect: () => trash([key]),
        },
        onDetails !== undefined && {
          label: "View Details",
          icon: <Eye />,
          onSelect: () => onDetails(file),
        },
        {
          label: "Download",
          icon: <Download />,
          disabledReason: downloadRefused,
          onSelect: () => void downloadStoredFile(key),
        },
        mayBecomeMp4(file) && {
          label: "Save as MP4",
          icon: <FileVideo />,
          disabledReason: downloadRefused,
          onSelect: () => void saveAsMp4(key),
        },
        file.trashedAt === null
          ? {
              label: isFree ? "Lock" : "Unlock",
              icon: <Lock />,
              disabledReason: writeMissing,
              onSelect: () => lock({ key, locked: isFree }),
            }
          : {
              label: "Restore",
              icon: <ArchiveRestore />,
              disabledReason: writeMissing,
              onSelect: () => restore([key]),
            },
        file.isUploadRunning && uploadId !== null
          ? {
              label: "Show Upload",
              icon: <Activity />,
              onSelect: () => void navigate({ to: "/uploads", search: { upload: uploadId } }),
            }
          : onDelete !== undefined && {
              label: "Delete",
              icon: <CircleX />,
              danger: true,
              disabledReason: deleting
                ? "Another file is being deleted."
                : isFree
                  ? deleteMissing
                  : "Unlock it first.",
              onSelect: () => onDelete(file),
            },
      ].filter((item) => item !== false);
    },
    [deleting, onDetails, onDelete, navigate, lock, restore, trash, writeMissing, deleteMissing],
  );
}
