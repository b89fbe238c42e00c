import { useQuery } from "@tanstack/react-query";
import { FileUp, Pause, Play, Trash2, X } from "lucide-react";
import { useId, useState } from "react";
import type { UploadId } from "#contract/ids.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { uploadQuery } from "#console/domain/uploads/upload-query.ts";
import { canCancel } from "#console/domain/uploads/upload-rules.ts";
import { usePolling } from "#console/lib/polling.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { IconButton } from "#console/ui/button.tsx";
import { classNames } from "#console/ui/class-names.ts";
import layout from "#console/ui/layout.module.css";
import { Progress } from "#console/ui/progress.tsx";
import styles from "./manual-upload-panel.module.css";
import {
  cancelManualUpload,
  dismissManualUpload,
  pauseManualUpload,
  resumeManualUpload,
  startManualUpload,
  useManualUploads,
  type ManualUpload,
} from "./manual-upload.ts";

/** Drop zone (the input, which covers the field), file chooser, and progress of each file. */
export function ManualUploadPanel() {
  const uploads = useManualUploads();
  const [isOver, setIsOver] = useState(false);
  const inputId = useId();

  return (
    <section className={classNames(layout.stack, layout.gap3)} aria-label="Upload files">
      <label htmlFor={inputId} className={classNames(styles.drop, isOver && styles.over)}>
        <FileUp aria-hidden />
        <span>
          <strong>Drop video files here</strong>, or choose them. An interrupted upload continues
          when you choose its file again. By uploading you confirm that we hold the rights; the
          confirmation is recorded.
        </span>
        <input
          id={inputId}
          type="file"
          multiple
          className={styles.input}
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
        <ul className={classNames(layout.stack, layout.gap3)}>
          {uploads.map((upload) => (
            <ManualUploadRow key={upload.key} upload={upload} />
          ))}
        </ul>
      )}
    </section>
  );
}

const PHASES: Readonly<Record<ManualUpload["phase"], string>> = {
  queued: "Waiting",
  sending: "Sending",
  waiting: "Waiting to try again",
  paused: "Paused",
  sent: "Uploaded. Verifying…",
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
  return PHASES.sent;
}

function ManualUploadRow({ upload }: { readonly upload: ManualUpload }) {
  const { key, phase } = upload;
  const name = visibleText(upload.filename);
  const percent = upload.sizeBytes === 0 ? 100 : (upload.storedBytes / upload.sizeBytes) * 100;
  const isRunning = phase === "queued" || phase === "sending" || phase === "waiting";
  const isOver = phase === "sent" || phase === "cancelled";
  return (
    <li className={classNames(layout.stack, layout.gap1)}>
      <div className={layout.row}>
        <span className={classNames(layout.fill, layout.anywhere, layout.strong)}>{name}</span>
        <small>
          {formatBytes(upload.storedBytes)} of {formatBytes(upload.sizeBytes)}
        </small>
        {isRunning && (
          <IconButton label={`Pause ${name}`} onClick={() => pauseManualUpload(key)}>
            <Pause />
          </IconButton>
        )}
        {(phase === "paused" || phase === "failed") && (
          <IconButton label={`Resume ${name}`} onClick={() => resumeManualUpload(key)}>
            <Play />
          </IconButton>
        )}
        {isOver ? (
          <IconButton
            label={`Remove ${name} from this list`}
            onClick={() => dismissManualUpload(key)}
          >
            <X />
          </IconButton>
        ) : (
          <IconButton label={`Cancel ${name}`} onClick={() => void cancelManualUpload(key)}>
            <Trash2 />
          </IconButton>
        )}
      </div>
      <Progress
        label={`Sending ${name}`}
        percent={percent}
        tone={phase === "failed" ? "bad" : phase === "sent" ? "good" : "accent"}
      />
      <small role="status">
        {phase === "sent" && upload.uploadId !== null ? (
          <Outcome id={upload.uploadId} />
        ) : (
          PHASES[phase]
        )}
        {upload.error !== null && !isOver && `: ${upload.error}`}
      </small>
    </li>
  );
}
