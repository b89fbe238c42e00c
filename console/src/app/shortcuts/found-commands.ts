import { useQuery } from "@tanstack/react-query";
import { CircleUser, CloudDownload } from "lucide-react";
import { useEffect, useState } from "react";
import { listUploads } from "#contract/uploads.ts";
import { listUsers } from "#contract/users.ts";
import { callQuery } from "#console/lib/call-query.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import type { Command } from "./commands.ts";

/** Debounces typing: a request for each letter would only load the service. */
const SETTLE_MS = 200;

/** A single letter matches nearly everything. */
const MIN_LENGTH = 2;

/** Of each kind: enough to find the intended one without burying the commands. */
const FOUND_LIMIT = 3;

/** Uploads and users that match the text, as commands that open them. */
export function useFoundCommands(text: string): readonly Command[] {
  const search = useSettled(text.trim());
  const isWorthAsking = search.length >= MIN_LENGTH;
  const mayReadUploads = useMissingPermission("read:uploads") === undefined;
  const mayReadUsers = useMissingPermission("read:users") === undefined;
  const query = { search, limit: FOUND_LIMIT };
  const uploads = useQuery({
    ...callQuery(listUploads, { query }),
    enabled: isWorthAsking && mayReadUploads,
  });
  const users = useQuery({
    ...callQuery(listUsers, { query }),
    enabled: isWorthAsking && mayReadUsers,
  });
  if (!isWorthAsking || search !== text.trim()) return [];
  return [
    ...(uploads.data?.items ?? []).map((upload) => ({
      id: `upload-${upload.id}`,
      label: visibleText(upload.metadata.streamTitle ?? upload.filename),
      hint: "Upload",
      icon: CloudDownload,
      run: { path: `/uploads?upload=${encodeURIComponent(upload.id)}` },
    })),
    ...(users.data?.items ?? []).map((user) => ({
      id: `user-${user.id}`,
      label: visibleText(user.displayName),
      hint: "User",
      icon: CircleUser,
      run: { path: `/users?user=${encodeURIComponent(user.id)}` },
    })),
  ];
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
