import { Lock, Trash2 } from "lucide-react";
import type { SourceChange, StoredFile } from "#contract/files.ts";
import { useNow } from "#console/lib/clock.ts";
import { formatDay } from "#console/lib/format.ts";
import { Badge } from "#console/ui/badge.tsx";

type Marked = Pick<StoredFile, "lockedAt" | "trashedAt" | "trashUntil" | "sourceChange">;

const CHANGES: Readonly<Record<SourceChange["kind"], string>> = {
  gone: "Gone",
  cut: "Cut",
  muted: "Muted",
  longer: "Longer",
};

/** That the file is locked or in the trash, and what became of its VOD at the source. */
export function FileMarks({ file }: { readonly file: Marked }) {
  const nowMs = useNow(60_000);
  const { lockedAt, trashedAt, trashUntil, sourceChange } = file;
  return (
    <>
      {trashedAt !== null && (
        <Badge tone="warn" icon={<Trash2 />}>
          {trashUntil === null || Date.parse(trashUntil) < nowMs
            ? "In the trash, kept until restored"
            : `In the trash, deleted on ${formatDay(new Date(trashUntil), nowMs)}`}
        </Badge>
      )}
      {lockedAt !== null && <Badge icon={<Lock />}>Locked</Badge>}
      {sourceChange !== null && (
        <Badge tone="info">
          {CHANGES[sourceChange.kind]} at the source since{" "}
          {formatDay(new Date(sourceChange.since), nowMs)}
        </Badge>
      )}
    </>
  );
}
