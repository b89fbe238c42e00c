import type { Transfer } from "#console/lib/transfer-queue.ts";
import { TransferRow } from "./transfer-row.tsx";

const nothing = () => undefined;

function row(phase: Transfer["phase"], outcome: string, error: string | null = null) {
  const transfer = {
    key: phase,
    filename: `pixelpilot-${phase}.mp4`,
    sizeBytes: 2_000_000_000,
    doneBytes: phase === "done" ? 2_000_000_000 : 800_000_000,
    phase,
    error,
    uploadId: null,
  };
  return (
    <TransferRow
      transfer={transfer}
      verb="Sending"
      outcome={outcome}
      onPause={nothing}
      onResume={nothing}
      onCancel={nothing}
      onRemove={nothing}
    />
  );
}

export function Phases() {
  return (
    <ul>
      {row("running", "24 MB/s")}
      {row("paused", "Paused")}
      {row("failed", "Failed", "The connection was lost")}
      {row("done", "Done")}
    </ul>
  );
}
