import { useEffect, useRef, useState } from "react";
import type { Upload } from "#contract/upload.ts";
import { VisuallyHidden } from "#console/ui/visually-hidden.tsx";
import { changesBetween } from "./upload-changes.ts";

/** Long enough to be read out; then it is removed, so that the page holds no stale news. */
const STAYS_MS = 5_000;

/** Announces changes of the visible uploads to screen readers. `scope` identifies the list. */
export function UploadAnnouncements({
  uploads,
  scope,
}: {
  /** Undefined while the list is unknown. */
  readonly uploads: readonly Upload[] | undefined;
  readonly scope: string;
}) {
  const known = useRef<{ scope: string; uploads: readonly Upload[] } | null>(null);
  const [said, setSaid] = useState("");
  useEffect(() => {
    const before = known.current;
    known.current = uploads === undefined ? null : { scope, uploads };
    if (before === null || uploads === undefined || before.scope !== scope) return;
    const changes = changesBetween(before.uploads, uploads);
    if (changes !== "") setSaid(changes);
  }, [uploads, scope]);
  useEffect(() => {
    if (said === "") return undefined;
    const timer = setTimeout(() => setSaid(""), STAYS_MS);
    return () => clearTimeout(timer);
  }, [said]);
  return (
    <VisuallyHidden>
      <span role="status">{said}</span>
    </VisuallyHidden>
  );
}
