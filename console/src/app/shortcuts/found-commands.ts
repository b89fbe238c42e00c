import { useQuery } from "@tanstack/react-query";
import {
  Ban,
  CircleUser,
  CloudDownload,
  Download,
  FileVideo,
  Link,
  Play,
  Radio,
  Trash2,
} from "lucide-react";
import { useEffect, useState } from "react";
import { listChannels } from "#contract/channels.ts";
import { browseFiles, type StoredFile } from "#contract/files.ts";
import type { Permission } from "#contract/permissions.ts";
import type { Upload } from "#contract/upload.ts";
import { listUploads } from "#contract/uploads.ts";
import { listUsers } from "#contract/users.ts";
import { fileNameOf } from "#console/domain/files/file-words.ts";
import { downloadStoredFile } from "#console/domain/files/stored-file.ts";
import { canCancel, canWatch } from "#console/domain/uploads/upload-rules.ts";
import { BASE_PATH } from "#console/lib/base-path.ts";
import { callQuery } from "#console/lib/call-query.ts";
import { saveAsMp4 } from "#console/mp4/save-stored.ts";
import { mayBecomeMp4 } from "#console/lib/playable.ts";
import { usePermissions } from "#console/lib/session.ts";
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

/** VODs, channels, users and files without a VOD that match the text, as commands that open them. */
export function useFoundCommands(text: string): readonly Command[] {
  const search = useSettled(text.trim());
  const permissions = usePermissions();
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
    ...vods.map((upload) => vodCommand(upload, permissions)),
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
      .map(fileCommand),
  ];
}

/** A stored VOD is watched; any other is opened in its drawer. */
function vodCommand(upload: Upload, permissions: readonly Permission[]): Command {
  const { fileKey, filename, id, kind, metadata, status } = upload;
  const open = `/uploads?upload=${encodeURIComponent(id)}`;
  const path = canWatch(upload) ? `/watch/${encodeURIComponent(id)}` : open;
  const link = `${window.location.origin}${BASE_PATH}${path}`;
  const isStored = fileKey !== null && status === "completed";
  const isMp4 = isStored && mayBecomeMp4({ uploadType: kind, filename });
  const mayCancel = permissions.includes("write:uploads") && canCancel(upload);
  const actions: readonly (Pick<Command, "label" | "icon" | "run"> | false)[] = [
    path !== open && { label: "Watch", icon: Play, run: { path } },
    { label: "Show the upload", icon: CloudDownload, run: { path: open } },
    isStored && {
      label: "Download",
      icon: Download,
      run: { act: () => void downloadStoredFile(fileKey) },
    },
    isMp4 && { label: "Save as MP4", icon: FileVideo, run: { act: () => void saveAsMp4(fileKey) } },
    {
      label: "Copy link",
      icon: Link,
      run: { act: () => void copyText(link, () => toast.success("Link copied")) },
    },
    mayCancel && { label: "Cancel", icon: Ban, run: { path: `${open}&act=cancel` } },
    permissions.includes("delete:uploads") && {
      label: "Delete",
      icon: Trash2,
      run: { path: `${open}&act=delete` },
    },
  ];
  return {
    id: `upload-${id}`,
    group: "VODs",
    label: visibleText(metadata.streamTitle ?? filename),
    hint: path === open ? "Upload" : "Watch",
    icon: path === open ? CloudDownload : Play,
    run: { path },
    more: actions
      .filter((action) => action !== false)
      .map((action) => ({ ...action, id: action.label, group: "Actions" })),
  };
}

function fileCommand(file: StoredFile): Command {
  return {
    id: `file-${file.key}`,
    group: "Files",
    label: fileNameOf(file),
    hint: "File",
    icon: FileVideo,
    run: { path: `/files?file=${encodeURIComponent(file.key)}` },
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
