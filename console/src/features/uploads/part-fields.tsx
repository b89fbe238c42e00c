import { clockTime, parseTime } from "#contract/clock-time.ts";
import type { Part } from "#contract/part.ts";
import type { SourcePreview } from "#contract/source-preview.ts";
import { Button } from "#console/ui/button.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { TextField } from "#console/ui/text-field.tsx";
import styles from "./new-archive-dialog.module.css";

/** What of a VOD is archived, as it is typed: all of it while both are empty. */
export type TypedPart = { readonly from: string; readonly to: string };

export const ALL_OF_IT: TypedPart = { from: "", to: "" };

/** What an editor of a running broadcast most often wants. */
const LAST_SEC = 600;

/** Undefined for all of it; a sentence if no such part can be archived. */
export function readPart(
  { from, to }: TypedPart,
  { durationSec, isRecording }: SourcePreview,
): Part | string | undefined {
  if (from.trim() === "" && to.trim() === "") return undefined;
  const isOpen = to.trim() === "";
  if (isOpen && (isRecording || durationSec === null)) return "Enter where the part ends.";
  const lastSec = Math.ceil(durationSec ?? 0);
  const startSec = from.trim() === "" ? 0 : parseTime(from);
  const endSec = isOpen ? lastSec : parseTime(to);
  if (startSec === undefined || endSec === undefined) return "Enter times such as 1:03:00.";
  if (endSec <= startSec) return "The part has to end after it starts.";
  if (!isRecording && durationSec !== null && endSec > lastSec)
    return `This VOD ends at ${clockTime(lastSec)}.`;
  return { startSec, endSec };
}

/** The preview with the length, size and cost of a part. */
export function previewOfPart(preview: SourcePreview, part: Part): SourcePreview {
  const durationSec = part.endSec - part.startSec;
  const share = durationSec / (preview.durationSec || durationSec);
  const scaled = <Estimate extends Estimates>(whole: Estimate): Estimate => ({
    ...whole,
    estimatedSizeBytes: Math.round(whole.estimatedSizeBytes * share),
    estimatedCostUsd: whole.estimatedCostUsd * share,
    estimatedMonthlyStorageUsd: whole.estimatedMonthlyStorageUsd * share,
  });
  return { ...scaled(preview), durationSec, qualities: preview.qualities.map(scaled) };
}

type Estimates = Pick<
  SourcePreview,
  "estimatedSizeBytes" | "estimatedCostUsd" | "estimatedMonthlyStorageUsd"
>;

/** Start and end of a part, in the VOD's time. */
export function PartFields({
  preview,
  typed,
  onType,
}: {
  readonly preview: SourcePreview;
  readonly typed: TypedPart;
  readonly onType: (typed: TypedPart) => void;
}) {
  const { durationSec, isRecording } = preview;
  const read = readPart(typed, preview);
  const nowSec = Math.floor(durationSec ?? 0);
  return (
    <fieldset className="stack gap1">
      <legend className="visuallyHidden">Part of the VOD</legend>
      <div className={classNames("row top gap3", styles.times)}>
        <TextField
          label="From"
          placeholder="0:00:00"
          value={typed.from}
          onChange={({ target }) => onType({ ...typed, from: target.value })}
        />
        <TextField
          label="To"
          placeholder={isRecording ? "its end" : clockTime(nowSec)}
          value={typed.to}
          error={typeof read === "string" ? read : undefined}
          onChange={({ target }) => onType({ ...typed, to: target.value })}
        />
      </div>
      <p className="wrap note">
        {read === undefined
          ? "All of it. Enter times to archive only a part."
          : "From the segment in which the part starts, up to ten seconds early. The chat of these minutes is stored with it."}
      </p>
      {isRecording && nowSec > 0 && (
        <div>
          <Button
            onClick={() =>
              onType({ from: clockTime(Math.max(0, nowSec - LAST_SEC)), to: clockTime(nowSec) })
            }
          >
            The last ten minutes
          </Button>
        </div>
      )}
    </fieldset>
  );
}
