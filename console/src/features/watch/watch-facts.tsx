import type { StoredFile } from "#contract/files.ts";
import type { Upload } from "#contract/upload.ts";
import { proofFacts, storedFacts } from "#console/domain/files/file-facts.tsx";
import { copyFacts, videoFacts } from "#console/domain/uploads/upload-facts.tsx";
import { Details } from "#console/ui/details.tsx";
import { Time } from "#console/ui/time.tsx";

/** Where the video comes from, and what proves that it is the source's. */
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
  const shown = ["Segments", "File", "Cost"];
  return (
    <Details
      properties={[
        ...videoFacts(upload, onSeek),
        { name: "Archived", value: <Time at={archivedAt} /> },
        ...copyFacts(upload).filter(({ name }) => shown.includes(name)),
        ...storedFacts(file),
        ...proofFacts(file),
      ]}
    />
  );
}
