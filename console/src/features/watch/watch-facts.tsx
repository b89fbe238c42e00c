import { useState } from "react";
import type { StoredFile } from "#contract/files.ts";
import type { Upload } from "#contract/upload.ts";
import { proofFacts, storedFacts } from "#console/domain/files/file-facts.tsx";
import { copyFacts, videoFacts } from "#console/domain/uploads/upload-facts.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { Details } from "#console/ui/details.tsx";
import { Time } from "#console/ui/time.tsx";
import styles from "./watch.module.css";

const IN_PROOF = ["Segments", "File", "Cost"];

/** Where the video comes from, and once opened, what proves that it is the source's. */
export function WatchFacts({
  upload,
  file,
  onSeek,
}: {
  readonly upload: Upload;
  readonly file: StoredFile;
  readonly onSeek: (sec: number) => void;
}) {
  const archivedAt = upload.completedAt ?? upload.debugInfo.timeStarted;
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="stack">
      <Details
        properties={[
          ...videoFacts(upload, onSeek),
          { name: "Archived", value: <Time at={archivedAt} /> },
          ...storedFacts(file),
        ]}
      />
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className={classNames("small", styles.proof)}>Proof</summary>
        {isOpen && (
          <Details
            properties={[
              ...copyFacts(upload).filter(({ name }) => IN_PROOF.includes(name)),
              ...proofFacts(file),
            ]}
          />
        )}
      </details>
    </div>
  );
}
