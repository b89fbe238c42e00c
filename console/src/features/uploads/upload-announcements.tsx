import { useEffect, useRef, useState } from "react";
import type { Upload } from "#contract/upload.ts";
import { VisuallyHidden } from "#console/ui/visually-hidden.tsx";
import { changesBetween } from "./upload-changes.ts";

/** Long enough to be read out; then it goes, so that nobody finds old news when reading the page. */
const STAYS_MS = 5_000;

/** Says to a screen reader what becomes of the uploads that show. `scope` names the list. */
export function UploadAnnouncements({
  uploads,
  scope,
}: {
  /** Undefined while the list is not known. */
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
