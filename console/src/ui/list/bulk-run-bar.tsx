import { Square, X } from "lucide-react";
import { bulkState, stopBulkRun, type BulkState } from "#console/lib/bulk-state.ts";
import { formatCount } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Button, IconButton } from "../button.tsx";
import { Card } from "../card.tsx";
import { classNames } from "../class-names.ts";
import { Progress } from "../progress.tsx";
import styles from "./bulk-run-bar.module.css";

/** Further failures are only counted: the first reasons are enough to read. */
const LISTED = 50;

/** Progress of a bulk run, or the items that failed with their reasons, until dismissed. */
export function BulkRunBar({ progress, report }: BulkState) {
  return (
    <Card flush>
      {progress !== null && (
        <div className={classNames("stack gap3 small", styles.running)}>
          <span>
            {progress.verb}: {formatCount(progress.done)} of {formatCount(progress.total)}
          </span>
          <Progress label={progress.verb} percent={(progress.done / progress.total) * 100} />
          <Button icon={<Square />} busy={progress.isStopping} onClick={stopBulkRun}>
            Stop
          </Button>
        </div>
      )}
      {report !== null && (
        <section className={classNames("small", styles.failures)} aria-label={report.title}>
          <header className="between">
            <h2 className="small bad">{report.title}</h2>
            <IconButton
              label="Dismiss"
              onClick={() => bulkState.setState((state) => ({ ...state, report: null }))}
            >
              <X />
            </IconButton>
          </header>
          <ul className={classNames("stack gap1 anywhere", styles.list)}>
            {report.failures.slice(0, LISTED).map(({ name, reason }, index) => (
              // Names may repeat, and the list never changes.
              <li key={index}>
                <strong>{visibleText(name)}</strong>: {visibleText(reason)}
              </li>
            ))}
            {report.failures.length > LISTED && (
              <li>and {formatCount(report.failures.length - LISTED)} more</li>
            )}
          </ul>
        </section>
      )}
    </Card>
  );
}
