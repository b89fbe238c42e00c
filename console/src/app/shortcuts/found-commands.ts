import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { CircleUser, CloudDownload, FileVideo, MousePointerClick, Play, Radio } from "lucide-react";
import { useEffect, useState } from "react";
import { listChannels } from "#contract/channels.ts";
import { browseFiles, type StoredFile } from "#contract/files.ts";
import type { Upload } from "#contract/upload.ts";
import { listUploads } from "#contract/uploads.ts";
import { listUsers } from "#contract/users.ts";
import { fileNameOf } from "#console/domain/files/file-words.ts";
import { canWatch } from "#console/domain/uploads/upload-rules.ts";
import { useFileActions } from "#console/features/files/file-items.tsx";
import { useUploadActions } from "#console/features/uploads/upload-items.tsx";
import { callQuery } from "#console/lib/call-query.ts";
import { usePermissions } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import type { MenuItem } from "#console/ui/menu.tsx";
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
  const navigate = useNavigate();
  const { itemsOf } = useUploadActions(
    ({ kind, upload }) =>
      void navigate({ to: "/uploads", search: { upload: upload.id, act: kind } }),
  );
  const fileItemsOf = useFileActions({});
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
    ...vods.map((upload) => vodCommand(upload, itemsOf(upload))),
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
      .map((file) => fileCommand(file, fileItemsOf(file))),
  ];
}

/** A stored VOD is watched; any other is opened in its drawer. */
function vodCommand(upload: Upload, items: readonly MenuItem[]): Command {
  const { filename, id, metadata } = upload;
  const open = `/uploads?upload=${encodeURIComponent(id)}`;
  const path = canWatch(upload) ? `/watch/${encodeURIComponent(id)}` : open;
  const show = { id: "show", label: "Show the upload", icon: CloudDownload, run: { path: open } };
  return {
    id: `upload-${id}`,
    group: "VODs",
    label: visibleText(metadata.streamTitle ?? filename),
    hint: path === open ? "Upload" : "Watch",
    icon: path === open ? CloudDownload : Play,
    run: { path },
    more: [{ ...show, group: "Actions" }, ...actionsOf(items)],
  };
}

function fileCommand(file: StoredFile, items: readonly MenuItem[]): Command {
  const run = { path: `/files?file=${encodeURIComponent(file.key)}` };
  const show = { id: "show", label: "Show the file", icon: FileVideo, run };
  return {
    id: `file-${file.key}`,
    group: "Files",
    label: fileNameOf(file),
    hint: "File",
    icon: FileVideo,
    run,
    more: [{ ...show, group: "Actions" }, ...actionsOf(items)],
  };
}

/** What its row offers, and may be done now. */
function actionsOf(items: readonly MenuItem[]): readonly Command[] {
  return items
    .filter(({ disabledReason }) => disabledReason === undefined)
    .map(({ label, icon = MousePointerClick, onSelect }) => ({
      id: label,
      group: "Actions",
      label,
      icon,
      run: { act: onSelect },
    }));
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
