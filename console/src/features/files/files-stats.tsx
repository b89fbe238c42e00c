import { CircleCheck, Files, HardDrive, Users } from "lucide-react";
import type { DataOf } from "#contract/call.ts";
import type { browseFiles, fileStats } from "#contract/files.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { formatCount, formatPercent } from "#console/lib/format.ts";
import { StatCard, StatGrid } from "#console/ui/stat-card.tsx";

type Stats = DataOf<typeof fileStats>;
type Matching = DataOf<typeof browseFiles>;

/** Keeps the line while nothing is known, so that nothing moves. */
const NO_NOTE = "\u00A0";

/** Totals over all files. Below them those of the filtered files, or what an average one is like. */
export function FilesStats({
  stats,
  failed,
  matching,
}: {
  readonly stats: Stats | undefined;
  /** The request failed. */
  readonly failed: boolean;
  /** Undefined while no filter is set. */
  readonly matching: Matching | undefined;
}) {
  const absent = failed ? "Unknown" : null;
  const notes = matching === undefined ? averages(stats) : totals(matching);
  const cards = [
    ["files", "Total Files", stats && formatCount(stats.totalFiles), Files],
    ["size", "Total Size", stats && formatBytes(stats.totalSize), HardDrive],
    ["users", "Users with Files", stats && formatCount(stats.usersWithFiles), Users],
    ["complete", "Complete Files", stats && formatCount(stats.byStatus.complete), CircleCheck],
  ] as const;
  return (
    <StatGrid compact>
      {cards.map(([name, label, value, Icon]) => (
        <StatCard
          key={name}
          label={label}
          value={value ?? absent}
          note={notes?.[name] ?? NO_NOTE}
          icon={<Icon aria-hidden="true" />}
        />
      ))}
    </StatGrid>
  );
}

/** Where counting stopped, all of them are of the files counted so far. */
function totals({ pagination, summary, users, byStatus }: Matching) {
  const matching = (total: string) =>
    `${total}${pagination.totalIsCapped === true ? "+" : ""} matching the filters`;
  return {
    files: matching(formatCount(pagination.total)),
    size: matching(summary.totalSizeFormatted),
    users: matching(formatCount(users)),
    complete: matching(formatCount(byStatus.complete)),
  };
}

function averages(stats: Stats | undefined) {
  if (stats === undefined || stats.totalFiles === 0) return null;
  const { totalFiles, totalSize, usersWithFiles, byStatus, byType } = stats;
  return {
    files: `${formatCount(byType.twitch)} from Twitch`,
    size: `${formatBytes(totalSize / totalFiles)} per file`,
    users: `${(totalFiles / Math.max(1, usersWithFiles)).toFixed(1)} files per user`,
    complete: `${formatPercent((byStatus.complete / totalFiles) * 100)} of all files`,
  };
}
