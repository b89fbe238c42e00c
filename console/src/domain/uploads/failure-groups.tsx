import { Link, type LinkProps } from "@tanstack/react-router";
import { useSelector } from "@tanstack/react-store";
import { useState } from "react";
import type { DataOf } from "#contract/call.ts";
import { FUTILE_RETRIES, type FailureClass } from "#contract/upload.ts";
import type { listFailedUploads } from "#contract/uploads.ts";
import { bulkState } from "#console/lib/bulk-state.ts";
import { formatCount } from "#console/lib/format.ts";
import { useCan } from "#console/lib/session.ts";
import { Badge } from "#console/ui/badge.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { Spinner } from "#console/ui/spinner.tsx";
import { TextButton } from "#console/ui/text-button.tsx";
import { useFailureActions } from "./failure-actions.ts";
import styles from "./failure-groups.module.css";
import { FAILURE_ADVICE, retryWord } from "./upload-rules.ts";

type Group = DataOf<typeof listFailedUploads>["groups"][number];

/** One cause of failures: how many, a link to them, and what helps against all of them at once. */
export function FailureGroup({
  group: { failureClass, count, canRetry },
  isChosen = false,
  search,
}: {
  readonly group: Group;
  /** Whether the list of failed uploads shows this cause alone. */
  readonly isChosen?: boolean;
  /** Where the link leads to, on the screen of failed uploads. */
  readonly search: NonNullable<LinkProps["search"]>;
}) {
  const { label, advice, retryHelps } = FAILURE_ADVICE[failureClass];
  return (
    <li className={classNames("row small", styles.group)} data-chosen={isChosen}>
      <Badge tone={retryHelps ? "warn" : "bad"}>{formatCount(count)}</Badge>
      <span className={classNames("fill", styles.name)}>
        <Link to="/uploads/failed" search={search} className="target strong">
          {label}
        </Link>
        <small className="soft">{advice}</small>
      </span>
      {canRetry > 0 && !FUTILE_RETRIES.includes(failureClass) && (
        <RetryButton cause={failureClass} count={canRetry} />
      )}
    </li>
  );
}

function RetryButton({ cause, count }: { readonly cause: FailureClass; readonly count: number }) {
  const { retryCause } = useFailureActions();
  const word = retryWord(cause);
  const mayWrite = useCan("write:uploads");
  const { progress } = useSelector(bulkState);
  const [isBusy, setBusy] = useState(false);
  const isBlocked = isBusy || progress !== null;
  async function act() {
    setBusy(true);
    await retryCause(cause);
    setBusy(false);
  }
  return (
    mayWrite && (
      <TextButton
        className="row gap1 nowrap"
        // It stays focusable while it works.
        aria-disabled={isBlocked}
        aria-label={`${word} ${formatCount(count)}: ${FAILURE_ADVICE[cause].label}`}
        onClick={() => !isBlocked && void act()}
      >
        {isBusy && <Spinner />}
        {word} {formatCount(count)}
      </TextButton>
    )
  );
}
