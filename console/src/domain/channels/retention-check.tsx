import type { UseQueryResult } from "@tanstack/react-query";
import type { DataOf } from "#contract/call.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import type { simulateRetention } from "#contract/trash.ts";
import { hasBill } from "#console/lib/deployment.ts";
import { formatCount, formatDate, formatPlural, formatUsd } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Badge } from "#console/ui/badge.tsx";
import { Checkbox } from "#console/ui/checkbox.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { endCellClassName, Table } from "#console/ui/list/table.tsx";
import { QueryBody } from "#console/ui/query-body.tsx";
import { Skeleton } from "#console/ui/skeleton.tsx";
import styles from "./rule.module.css";

export type Simulation = DataOf<typeof simulateRetention>;

const COLUMNS = [
  { id: "file", header: "File" },
  { id: "broadcast", header: "Broadcast", width: "9rem" },
  { id: "size", header: "Size", align: "end", width: "7rem" },
] as const;

const KEPT_WORDS: Readonly<Record<Simulation["kept"][number]["reason"], string>> = {
  locked: "locked",
  by_hand: "taken by hand",
  unproved: "not proved yet",
  disputed: "damaged or disputed",
  no_right: "whose rule's author may not delete files",
  paused: "while all rules are paused",
};

/** What a retention would move to the trash now; files that would go are confirmed by a tick. */
export function RetentionCheck({
  query,
  seenDigest,
  onSeen,
}: {
  readonly query: UseQueryResult<Simulation>;
  /** Of the list that was confirmed. */
  readonly seenDigest: string | null;
  readonly onSeen: (digest: string | null) => void;
}) {
  return (
    <section className="stack box" aria-label="Effect of the retention">
      <QueryBody query={query} skeleton={<Skeleton width="60%" />}>
        {(simulation) => (
          <>
            <p className="small">{effectText(simulation)}</p>
            {simulation.kept.length > 0 && (
              <p className="note">
                It leaves in place:{" "}
                {simulation.kept
                  .map(
                    ({ reason, files }) => `${formatPlural(files, "file")} ${KEPT_WORDS[reason]}`,
                  )
                  .join("; ")}
                .
              </p>
            )}
            {simulation.files > 0 && (
              <>
                <RemovedFiles simulation={simulation} />
                <Checkbox
                  label={`Move ${simulation.files === 1 ? "this file" : `these ${formatCount(simulation.files)} files`} to the trash`}
                  checked={seenDigest === simulation.digest}
                  onChange={(checked) => onSeen(checked ? simulation.digest : null)}
                />
              </>
            )}
          </>
        )}
      </QueryBody>
    </section>
  );
}

function effectText({ files, sizeBytes, usdPerMonth, lastCopies }: Simulation): string {
  if (files === 0) return "No file would go to the trash now.";
  const cost = hasBill() ? `, ${formatUsd(usdPerMonth)} a month` : "";
  const last =
    lastCopies === 0
      ? ""
      : ` ${formatCount(lastCopies)} of them ${lastCopies === 1 ? "is" : "are"} gone at the source: these would be the last copies.`;
  return `${formatPlural(files, "file")}, ${formatBytes(sizeBytes)}${cost}, would go to the trash within the hour.${last} There, a click restores a file for 14 days.`;
}

function RemovedFiles({ simulation: { removed, files } }: { readonly simulation: Simulation }) {
  return (
    <>
      <div className={classNames("framed", styles.rows)}>
        <Table caption="Files that would go to the trash" columns={COLUMNS} stacked>
          {removed.map((file) => (
            <tr key={file.key}>
              <td data-phone="line">
                <FileName file={file} />
              </td>
              <td data-label="Broadcast" data-phone="grow">
                {file.recordedAt === null ? "Unknown" : formatDate(new Date(file.recordedAt))}
              </td>
              <td className={endCellClassName} data-label="Size" data-phone="grow">
                {formatBytes(file.sizeBytes)}
              </td>
            </tr>
          ))}
        </Table>
      </div>
      {files > removed.length && (
        <p className="note">The oldest {formatCount(removed.length)} are listed.</p>
      )}
    </>
  );
}

function FileName({
  file: { key, title, channel, isLastCopy },
}: {
  readonly file: Simulation["removed"][number];
}) {
  return (
    <span className="stack gap0 anywhere">
      <span className="strong">{visibleText(title ?? key)}</span>
      {channel !== null && <span className="note">{visibleText(channel)}</span>}
      {isLastCopy && (
        <span>
          <Badge tone="bad">Last copy: gone at the source</Badge>
        </span>
      )}
    </span>
  );
}
