import { Pause, Play, RotateCw, Trash2, X } from "lucide-react";
import type { ReactNode } from "react";
import { formatBytes } from "#contract/format-bytes.ts";
import type { Transfer } from "#console/lib/transfer-queue.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { IconButton } from "./button.tsx";
import { Progress } from "./progress.tsx";

/** A file that is sent or saved: how far it is, and what can be done with it. */
export function TransferRow({
  transfer,
  verb,
  outcome,
  isRemovable = false,
  onPause,
  onResume,
  onCancel,
  onRemove,
}: {
  readonly transfer: Transfer;
  readonly verb: "Sending" | "Saving";
  readonly outcome: ReactNode;
  /** Nothing is left to do but to remove it from the list. */
  readonly isRemovable?: boolean;
  /** Absent for what cannot be continued; it is then begun again. */
  readonly onPause?: () => void;
  readonly onResume: () => void;
  readonly onCancel: () => void;
  readonly onRemove: () => void;
}) {
  const { phase, sizeBytes, doneBytes, error } = transfer;
  const name = visibleText(transfer.filename);
  const percent = sizeBytes === 0 ? 100 : (doneBytes / sizeBytes) * 100;
  const isRunning = phase === "queued" || phase === "running" || phase === "waiting";
  const isOver = phase === "done" || phase === "cancelled";
  const isRepeated = onPause === undefined;
  return (
    <li className="stack gap1">
      <div className="row">
        <span className="fill anywhere strong">{name}</span>
        <small>
          {formatBytes(doneBytes)} of {formatBytes(sizeBytes)}
        </small>
        {isRunning && onPause !== undefined && (
          <IconButton label={`Pause ${name}`} onClick={onPause}>
            <Pause />
          </IconButton>
        )}
        {(phase === "paused" || phase === "failed") && (
          <IconButton label={`${isRepeated ? "Try again" : "Resume"} ${name}`} onClick={onResume}>
            {isRepeated ? <RotateCw /> : <Play />}
          </IconButton>
        )}
        {isOver || isRemovable ? (
          <IconButton label={`Remove ${name} from this list`} onClick={onRemove}>
            <X />
          </IconButton>
        ) : (
          <IconButton label={`Cancel ${name}`} onClick={onCancel}>
            <Trash2 />
          </IconButton>
        )}
      </div>
      <Progress
        label={`${verb} ${name}`}
        percent={percent}
        tone={phase === "failed" ? "bad" : phase === "done" ? "good" : "accent"}
      />
      <small role="status">
        {outcome}
        {error !== null && !isOver && `: ${visibleText(error)}`}
      </small>
    </li>
  );
}
