import { HISTORY_RANGES, type HistoryRange, type SystemHistory } from "#contract/system-history.ts";

/** A history whose series have this value at each point; nothing was sampled where it is null. */
export function buildHistory(
  range: HistoryRange,
  of: (index: number) => number | null,
  marks: SystemHistory["marks"] = [],
): SystemHistory {
  const { stepSec, points } = HISTORY_RANGES[range];
  const values = Array.from({ length: points }, (_point, index) => of(index));
  return {
    startsAt: "2026-11-23T12:00:00.000Z",
    stepSec,
    activeUploads: values,
    bytesPerSec: values.map((value) => value && value * 1_024),
    storedBytes: values,
    failedUploads: values,
    queueAgeSec: values,
    marks,
  };
}
