import { useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef } from "react";
import type { ObjectKey } from "#contract/files.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import type { TimeRange } from "#contract/upload.ts";
import { fileQuery } from "#console/domain/files/file-query.ts";
import { fileNameOf, storedRefusal } from "#console/domain/files/file-words.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { formatDuration, formatPercent, formatSpeed } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Button } from "#console/ui/button.tsx";
import { Dialog, DialogError, DialogSubject, DialogText } from "#console/ui/dialog.tsx";
import layout from "#console/ui/layout.module.css";
import { Progress } from "#console/ui/progress.tsx";
import { mp4NameOf } from "./mp4-name.ts";
import { useMp4Save, type Mp4Save } from "./use-mp4-save.ts";

const WHOLE: TimeRange = { startSec: 0, endSec: Infinity };

/** Saves a stored video, or a clip of it at once, as an MP4 file, which this browser writes. */
export function Mp4Dialog({
  fileKey,
  clip,
  onClose,
}: {
  readonly fileKey: ObjectKey;
  /** `at` is where it starts, for its name; `share` is its part of the whole video's length. */
  readonly clip?: { readonly at: string; readonly span: TimeRange; readonly share: number };
  readonly onClose: () => void;
}) {
  const { data: file, error } = useQuery(fileQuery(fileKey));
  const name = file === undefined ? "" : (file.downloadName ?? fileNameOf(file));
  const sizeBytes = Math.ceil((file?.size ?? 0) * (clip?.share ?? 1));
  const { state, save, cancel } = useMp4Save(
    fileKey,
    mp4NameOf(name, clip?.at),
    clip?.span ?? WHOLE,
  );
  const isStarted = useRef(clip === undefined);
  const start = useEffectEvent(() => {
    if (isStarted.current || file === undefined || !navigator.userActivation.isActive) return;
    isStarted.current = true;
    void save(sizeBytes);
  });
  // What opens the dialog for a clip says "Save clip": one more click would ask the same again.
  useEffect(() => start(), []);
  const isRunning = state.phase === "running";
  return (
    <Dialog
      title={clip === undefined ? "Save as MP4" : "Save clip"}
      dismissible={!isRunning}
      onClose={onClose}
      footer={
        <>
          {isRunning ? (
            <Button onClick={cancel}>Cancel</Button>
          ) : (
            <Button onClick={onClose}>{state.phase === "saved" ? "Done" : "Close"}</Button>
          )}
          {file !== undefined && state.phase !== "saved" && (
            <Button
              kind="primary"
              busy={isRunning}
              disabledReason={storedRefusal(file)}
              onClick={() => void save(sizeBytes)}
            >
              {state.phase === "failed" ? "Try again" : "Save"}
            </Button>
          )}
        </>
      }
    >
      {file !== undefined ? (
        <>
          <DialogSubject name={name} detail={formatBytes(sizeBytes)} />
          <SaveState state={state} />
        </>
      ) : error !== null ? (
        <DialogError>{messageOf(error)}</DialogError>
      ) : (
        <DialogText>Loading...</DialogText>
      )}
    </Dialog>
  );
}

/** What happens, or why it ended; each change is announced. */
function SaveState({ state }: { readonly state: Mp4Save }) {
  if (state.phase === "running") return <SaveProgress state={state} />;
  if (state.phase === "failed") return <DialogError>{visibleText(state.message)}</DialogError>;
  if (state.phase === "ready")
    return (
      <DialogText>
        Video and audio are copied unchanged into an ordinary MP4 file, in your browser. Keep this
        page open until it has finished. The stored file is not changed.
      </DialogText>
    );
  return (
    <p role="status">
      {state.isTemporary
        ? `The MP4 file of ${formatBytes(state.sizeBytes)} is written, and your browser is saving it among your downloads. Choose Done when it has finished: that removes the copy in the browser.`
        : `Saved: ${formatBytes(state.sizeBytes)}.`}
    </p>
  );
}

function SaveProgress({ state }: { readonly state: Mp4Save & { readonly phase: "running" } }) {
  const { readBytes, totalBytes, bytesPerSecond } = state;
  const percent = totalBytes === null ? null : (100 * readBytes) / totalBytes;
  return (
    <>
      <Progress label="Progress of the MP4 file" percent={percent} />
      {percent !== null && totalBytes !== null && (
        <p className={layout.between}>
          <span>
            {formatPercent(percent)} of {formatBytes(totalBytes)}
          </span>
          {bytesPerSecond > 0 && (
            <span>
              {formatSpeed(bytesPerSecond)},{" "}
              {formatDuration((totalBytes - readBytes) / bytesPerSecond)} left
            </span>
          )}
        </p>
      )}
    </>
  );
}
