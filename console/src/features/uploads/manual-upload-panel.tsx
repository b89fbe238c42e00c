import { useQuery } from "@tanstack/react-query";
import { FileUp } from "lucide-react";
import { useId, useState } from "react";
import type { UploadId } from "#contract/ids.ts";
import { uploadQuery } from "#console/domain/uploads/upload-query.ts";
import { canCancel } from "#console/domain/uploads/upload-rules.ts";
import { usePolling } from "#console/lib/polling.ts";
import type { Transfer } from "#console/lib/transfer-queue.ts";
import { classNames } from "#console/ui/class-names.ts";
import { TransferRow } from "#console/ui/transfer-row.tsx";
import styles from "./manual-upload-panel.module.css";
import {
  cancelManualUpload,
  dismissManualUpload,
  pauseManualUpload,
  resumeManualUpload,
  startManualUpload,
  useManualUploads,
} from "./manual-upload.ts";

/** Drop zone (the input, which covers the field), file chooser, and progress of each file. */
export function ManualUploadPanel() {
  const uploads = useManualUploads();
  const [isOver, setIsOver] = useState(false);
  const inputId = useId();

  return (
    <section className="stack gap3" aria-label="Upload files">
      <label
        htmlFor={inputId}
        className={classNames("row gap3 small soft box", styles.drop, isOver && styles.over)}
      >
        <FileUp />
        <span>
          <strong>Drop video files here</strong>, or choose them. An interrupted upload continues
          when you choose its file again. By uploading you confirm that we hold the rights; the
          confirmation is recorded.
        </span>
        <input
          id={inputId}
          type="file"
          multiple
          className="unseen"
          onDragEnter={() => setIsOver(true)}
          onDragLeave={() => setIsOver(false)}
          onChange={(event) => {
            setIsOver(false);
            for (const file of event.target.files ?? []) startManualUpload(file);
            event.target.value = "";
          }}
        />
      </label>
      {uploads.length > 0 && (
        <ul className="stack gap3">
          {uploads.map((upload) => (
            <TransferRow
              key={upload.key}
              transfer={upload}
              verb="Sending"
              outcome={
                upload.phase === "done" && upload.uploadId !== null ? (
                  <Outcome id={upload.uploadId} />
                ) : (
                  PHASES[upload.phase]
                )
              }
              onPause={() => pauseManualUpload(upload.key)}
              onResume={() => resumeManualUpload(upload.key)}
              onCancel={() => void cancelManualUpload(upload.key)}
              onRemove={() => dismissManualUpload(upload.key)}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

const PHASES: Readonly<Record<Transfer["phase"], string>> = {
  queued: "Waiting",
  running: "Sending",
  waiting: "Waiting to try again",
  paused: "Paused",
  done: "Uploaded. Verifying…",
  failed: "Failed",
  cancelled: "Cancelled",
};

/** Polling interval for the proof of a sent file. */
const PROOF_POLL_MS = 1_000;

function Outcome({ id }: { readonly id: UploadId }) {
  const upload = useQuery(uploadQuery(id));
  const { data } = upload;
  usePolling(upload, (data === undefined || canCancel(data)) && PROOF_POLL_MS);
  if (data?.status === "completed") return "Stored and verified";
  if (data?.status === "failed") return `Failed: ${data.errorMessage ?? "no reason was given"}`;
  if (data?.status === "cancelled") return PHASES.cancelled;
  return PHASES.done;
}
