import { useQuery } from "@tanstack/react-query";
import { DatabaseBackup } from "lucide-react";
import { type Backups, readBackups } from "#contract/backups.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { callQuery } from "#console/lib/call-query.ts";
import { formatPlural } from "#console/lib/format.ts";
import { usePolling } from "#console/lib/polling.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Button } from "#console/ui/button.tsx";
import { toneStyle } from "#console/ui/badge.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { Facts } from "#console/ui/facts.tsx";
import { QueryCard } from "#console/ui/query-card.tsx";
import { Time } from "#console/ui/time.tsx";
import styles from "./system.module.css";
import { useBackUp } from "./use-back-up.ts";

/** docs/console.md#intervals */
const BACKUPS_POLL_MS = 30_000;
const RUNNING_POLL_MS = 2_000;

/** Backups of the database, and whether one could be restored. */
export function BackupsCard() {
  const query = useQuery(callQuery(readBackups));
  const isRunning = query.data?.isRunning === true;
  const intervalMs = isRunning ? RUNNING_POLL_MS : BACKUPS_POLL_MS;
  const backups = usePolling(query, intervalMs);
  const writeMissing = useMissingPermission("write:system");
  const start = useBackUp();
  return (
    <QueryCard
      title="Backups"
      query={backups}
      permission="read:system"
      intervalMs={intervalMs}
      actions={
        backups.data?.kind !== "history" && (
          <Button
            icon={<DatabaseBackup />}
            disabled={backups.data === undefined}
            disabledReason={writeMissing}
            busy={start.isPending || isRunning}
            onClick={() => start.mutate()}
          >
            Back Up Now
          </Button>
        )
      }
    >
      {(data) => (data.kind === "history" ? <History /> : <State backups={data} />)}
    </QueryCard>
  );
}

function State({ backups }: { readonly backups: Backups }) {
  const { last, kept, test } = backups;
  const problems = problemsOf(backups);
  return (
    <>
      {problems.length > 0 && (
        <ul
          className={classNames("small anywhere callout", styles.reasons)}
          style={toneStyle("warn")}
        >
          {problems.map((problem) => (
            <li key={problem}>{visibleText(problem)}</li>
          ))}
        </ul>
      )}
      <Facts
        facts={[
          {
            name: "Last backup",
            value:
              last === null ? (
                "None yet"
              ) : (
                <>
                  <Time at={last.at} />, {formatBytes(last.sizeBytes)}
                </>
              ),
          },
          {
            name: "Kept",
            value:
              kept === 0 ? "None" : `${formatPlural(kept, "backup")}, in the store under backups/`,
          },
          {
            name: "Restored in a test",
            value:
              test === null ? (
                "Not yet"
              ) : (
                <>
                  <Time at={test.at} />, {formatPlural(test.uploads, "upload")},{" "}
                  {formatPlural(test.files, "file")}
                </>
              ),
          },
        ]}
      />
      <p className="note">
        To restore one, stop the service and run <code>vodkeep restore</code>; on a new machine,{" "}
        <code>vodkeep recover</code>. Keep a copy of the secret key elsewhere: a backup needs it.
      </p>
    </>
  );
}

function problemsOf({ failure, isOverdue, testFailure }: Backups): string[] {
  return [
    ...(isOverdue ? [`No backup was made for two days. ${failure?.text ?? ""}`] : []),
    ...(failure === null || isOverdue ? [] : [`The last backup failed: ${failure.text}`]),
    ...(testFailure === null
      ? []
      : [
          testFailure.isDamaged
            ? `A backup could not be restored in a test: ${testFailure.text}`
            : `The newest backup could not be tested: ${testFailure.text}`,
        ]),
  ];
}

function History() {
  return (
    <>
      <p>
        D1 Time Travel keeps every minute of the last 30 days, 7 on the free plan. This restores the
        database:
      </p>
      <p className="small anywhere">
        <code>npx wrangler d1 time-travel restore vodkeep --timestamp=…</code>
      </p>
    </>
  );
}
