import type { DataOf } from "#contract/call.ts";
import type { FailureClass } from "#contract/upload.ts";
import type { listFailedUploads } from "#contract/uploads.ts";
import { FAILURE_ADVICE } from "#console/domain/uploads/upload-rules.ts";
import { formatCount } from "#console/lib/format.ts";
import { Badge } from "#console/ui/badge.tsx";
import { Skeleton } from "#console/ui/skeleton.tsx";
import styles from "./failed-uploads.module.css";

type Group = DataOf<typeof listFailedUploads>["groups"][number];

/** Reserves the usual height, so that the list below does not move. */
export function FailureGroupsPlaceholder() {
  return (
    <div className={styles.groups} data-skeleton="" aria-hidden="true">
      <GroupPlaceholder />
      <GroupPlaceholder />
    </div>
  );
}

function GroupPlaceholder() {
  return (
    <span className={styles.placeholder}>
      <Skeleton width="50%" />
      <Skeleton width="90%" />
      <Skeleton width="40%" />
    </span>
  );
}

/** Failures by cause, each with advice; choosing one filters the list. */
export function FailureGroups({
  groups,
  chosen,
  onChoose,
}: {
  readonly groups: readonly Group[];
  readonly chosen: FailureClass | undefined;
  readonly onChoose: (failureClass: FailureClass | undefined) => void;
}) {
  return (
    <ul className={styles.groups} aria-label="Failures by cause">
      {groups.map(({ failureClass, count, canRetry }) => {
        const { label, advice, retryHelps } = FAILURE_ADVICE[failureClass];
        const isChosen = failureClass === chosen;
        return (
          <li key={failureClass}>
            <button
              type="button"
              className={styles.group}
              aria-pressed={isChosen}
              onClick={() => onChoose(isChosen ? undefined : failureClass)}
            >
              <span className={styles.groupHead}>
                {label}
                <Badge tone={retryHelps ? "warn" : "bad"}>{formatCount(count)}</Badge>
              </span>
              <span className={styles.groupText}>{advice}</span>
              <span className={styles.groupText}>
                {canRetry === 0 ? "None" : formatCount(canRetry)} can be retried
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
