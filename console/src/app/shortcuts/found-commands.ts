import { useQuery } from "@tanstack/react-query";
import {
  ArchiveRestore,
  Ban,
  CircleUser,
  CircleX,
  CloudDownload,
  Download,
  FileVideo,
  Link,
  Play,
  Radio,
  RotateCw,
  Trash2,
} from "lucide-react";
import { useEffect, useState } from "react";
import { listChannels } from "#contract/channels.ts";
import { browseFiles, type ObjectKey, type StoredFile } from "#contract/files.ts";
import type { Upload } from "#contract/upload.ts";
import { listUploads } from "#contract/uploads.ts";
import { listUsers } from "#contract/users.ts";
import { downloadRefusal, fileNameOf } from "#console/domain/files/file-words.ts";
import { downloadStoredFile } from "#console/domain/files/stored-file.ts";
import { useFileKeeping } from "#console/domain/files/use-file-keeping.ts";
import {
  canCancel,
  canRetry,
  canWatch,
  retryWord,
  storedKeyOf,
} from "#console/domain/uploads/upload-rules.ts";
import { useRetryUpload } from "#console/features/uploads/upload-actions.ts";
import { BASE_PATH } from "#console/lib/base-path.ts";
import { callQuery } from "#console/lib/call-query.ts";
import { saveAsMp4 } from "#console/mp4/save-stored.ts";
import { mayBecomeMp4 } from "#console/lib/playable.ts";
import { useCan, usePermissions } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { copyText } from "#console/ui/copy-text.ts";
import { toast } from "#console/ui/toast-store.ts";
import type { Command } from "./commands.ts";

/** Debounces typing: a request for each letter would only load the service. */
const SETTLE_MS = 200;

/** A single letter matches nearly everything. */
const MIN_LENGTH = 2;

/** Of each kind: enough to find the intended one without burying the commands. */
const FOUND_LIMIT = 3;

type Changes = ReturnType<typeof useChanges>;

/** What needs no question, and what may be changed by whoever is signed in. */
function useChanges() {
  const { restore, trash } = useFileKeeping();
  return {
    mayWrite: useCan("write:uploads"),
    mayDelete: useCan("delete:uploads"),
    restore: restore.mutate,
    retry: useRetryUpload().mutate,
    trash: trash.mutate,
  };
}

/** VODs, channels, users and files without a VOD that match the text, as commands that open them. */
export function useFoundCommands(text: string): readonly Command[] {
  const search = useSettled(text.trim());
  const permissions = usePermissions();
  const changes = useChanges();
  const isSettled = search.length >= MIN_LENGTH && search === text.trim();
  const mayReadUploads = isSettled && permissions.includes("read:uploads");
  const query = { search, limit: FOUND_LIMIT };
  const uploads = useQuery({ ...callQuery(listUploads, { query }), enabled: mayReadUploads });
  const files = useQuery({ ...callQuery(browseFiles, { query }), enabled: mayReadUploads });
  const channels = useQuery({ ...callQuery(listChannels, { query }), enabled: mayReadUploads });
  const users = useQuery({
    ...callQuery(listUsers, { query }),
    enabled: isSettled && permissions.includes("read:users"),
  });
  if (!isSettled) return [];
  const vods = uploads.data?.items ?? [];
  return [
    ...vods.map((upload) => vodCommand(upload, changes)),
    ...(channels.data?.items ?? []).map(({ id, displayName }) => ({
      id: `channel-${id}`,
      group: "Channels" as const,
      label: visibleText(displayName),
      hint: "Channel",
      icon: Radio,
      run: { path: `/channels/${id}` },
    })),
    ...(users.data?.items ?? []).map((user) => ({
      id: `user-${user.id}`,
      group: "Channels" as const,
      label: visibleText(user.displayName),
      hint: "User",
      icon: CircleUser,
      run: { path: `/users?user=${encodeURIComponent(user.id)}` },
    })),
    ...(files.data?.files ?? [])
      .filter(({ uploadId }) => vods.every(({ id }) => id !== uploadId))
      .map((file) => fileCommand(file, changes)),
  ];
}

/** A stored VOD is watched; any other is opened in its drawer. */
function vodCommand(upload: Upload, changes: Changes): Command {
  const { mayWrite, mayDelete, restore, retry, trash } = changes;
  const { filename, id, kind, metadata } = upload;
  const fileKey = storedKeyOf(upload);
  const open = `/uploads?upload=${encodeURIComponent(id)}`;
  const path = canWatch(upload) ? `/watch/${encodeURIComponent(id)}` : open;
  const link = `${window.location.origin}${BASE_PATH}${path}`;
  return {
    id: `upload-${id}`,
    group: "VODs",
    label: visibleText(metadata.streamTitle ?? filename),
    hint: path === open ? "Upload" : "Watch",
    icon: path === open ? CloudDownload : Play,
    run: { path },
    more: actionsOf([
      path !== open && { label: "Watch", icon: Play, run: { path } },
      { label: "Show the upload", icon: CloudDownload, run: { path: open } },
      fileKey !== null && downloadOf(fileKey),
      fileKey !== null &&
        mayBecomeMp4({ uploadType: kind, filename }) && {
          label: "Save as MP4",
          icon: FileVideo,
          run: { act: () => void saveAsMp4(fileKey) },
        },
      {
        label: "Copy link",
        icon: Link,
        run: { act: () => void copyText(link, () => toast.success("Link copied")) },
      },
      mayWrite &&
        canRetry(upload) && {
          label: retryWord(upload.failureClass),
          icon: RotateCw,
          run: { act: () => retry(id) },
        },
      mayWrite &&
        canCancel(upload) && { label: "Cancel", icon: Ban, run: { path: `${open}&act=cancel` } },
      mayDelete && fileKey !== null && !upload.isFileTrashed && trashOf(fileKey, trash),
      mayWrite && fileKey !== null && upload.isFileTrashed && restoreOf(fileKey, restore),
      mayDelete && { label: "Delete", icon: CircleX, run: { path: `${open}&act=delete` } },
    ]),
  };
}

type Action = Pick<Command, "label" | "icon" | "run">;

function actionsOf(actions: readonly (Action | false)[]): readonly Command[] {
  return actions
    .filter((action) => action !== false)
    .map((action) => ({ ...action, id: action.label, group: "Actions" }));
}

function downloadOf(key: ObjectKey): Action {
  return { label: "Download", icon: Download, run: { act: () => void downloadStoredFile(key) } };
}

function trashOf(key: ObjectKey, trash: Changes["trash"]): Action {
  return { label: "Move to Trash", icon: Trash2, run: { act: () => trash([key]) } };
}

function restoreOf(key: ObjectKey, restore: Changes["restore"]): Action {
  return { label: "Restore", icon: ArchiveRestore, run: { act: () => restore([key]) } };
}

function fileCommand(file: StoredFile, { mayWrite, mayDelete, restore, trash }: Changes): Command {
  const path = `/files?file=${encodeURIComponent(file.key)}`;
  const isTrashed = file.trashedAt !== null;
  const isFree = !isTrashed && file.lockedAt === null && !file.isUploadRunning;
  return {
    id: `file-${file.key}`,
    group: "Files",
    label: fileNameOf(file),
    hint: "File",
    icon: FileVideo,
    run: { path },
    more: actionsOf([
      { label: "Show the file", icon: FileVideo, run: { path } },
      downloadRefusal(file) === undefined && downloadOf(file.key),
      mayDelete && isFree && trashOf(file.key, trash),
      mayWrite && isTrashed && restoreOf(file.key, restore),
    ]),
  };
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
