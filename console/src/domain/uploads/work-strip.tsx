import { Link } from "@tanstack/react-router";
import type { DataOf } from "#contract/call.ts";
import type { Upload } from "#contract/upload.ts";
import type { uploadWork } from "#contract/uploads.ts";
import {
  formatCount,
  formatDuration,
  formatPercent,
  formatPlural,
  formatSpeed,
} from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { classNames } from "#console/ui/class-names.ts";
import styles from "./work-strip.module.css";

export type UploadWork = DataOf<typeof uploadWork>;

/** At most so many are named. */
const NAMES_SHOWN = 3;

/** What runs and waits, how fast, and until when. Each number leads to its list. */
export function WorkStrip({
  work,
  elsewhere = [],
}: {
  readonly work: UploadWork | undefined;
  /** Those that run and are on another page of the list below. */
  readonly elsewhere?: readonly Upload[];
}) {
  const { running = 0, live = 0, waiting = 0, failedToday = 0, bytesPerSecond = 0 } = work ?? {};
  return (
    <nav
      className={classNames("wrap small soft", styles.strip)}
      aria-label="Work"
      data-unknown={work === undefined}
    >
      <Link to="/uploads" search={{ status: "processing" }}>
        Running <b>{formatCount(running)}</b>
      </Link>
      {elsewhere.slice(0, NAMES_SHOWN).map(({ id, metadata, filename, progress }) => (
        <Link key={id} to="/uploads" search={{ upload: id }}>
          {visibleText(metadata.streamTitle ?? filename)} <b>{formatPercent(progress)}</b>
        </Link>
      ))}
      {live > 0 && (
        <Link to="/uploads" search={{ status: "processing" }}>
          Live <b>{formatCount(live)}</b>
        </Link>
      )}
      <Link to="/uploads" search={{ status: "pending" }}>
        Waiting <b>{formatCount(waiting)}</b>
      </Link>
      {work !== undefined && running + waiting > 0 && (
        <span>
          {bytesPerSecond > 0 && `${formatSpeed(bytesPerSecond)} · `}
          {endText(work)}
        </span>
      )}
      <Link to="/uploads/failed" data-bad={failedToday > 0}>
        Failed today <b>{formatCount(failedToday)}</b>
      </Link>
    </nav>
  );
}

function endText({ secondsLeft, unknownLengths }: UploadWork): string {
  if (secondsLeft === null) return "time left unknown";
  const time = formatDuration(secondsLeft);
  return unknownLengths === 0
    ? `done in about ${time}`
    : `at least ${time} left, ${formatPlural(unknownLengths, "length")} unknown`;
}
