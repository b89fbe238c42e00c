import { CircleCheck, Files, HardDrive, Users } from "lucide-react";
import type { DataOf } from "#contract/call.ts";
import type { browseFiles, fileStats } from "#contract/files.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { formatCount, formatTotal } from "#console/lib/format.ts";
import { StatCard, StatGrid } from "#console/ui/stat-card.tsx";

/** Reserves the line of the filtered totals, so that the first filter moves nothing. */
const NO_NOTE = "\u00A0";

/** Totals over all files, with those of the filtered files below. */
export function FilesStats({
  stats,
  failed,
  matching,
}: {
  readonly stats: DataOf<typeof fileStats> | undefined;
  /** The request failed. */
  readonly failed: boolean;
  /** Undefined while no filter is set. */
  readonly matching: DataOf<typeof browseFiles> | undefined;
}) {
  const absent = failed ? "Unknown" : null;
  return (
    <StatGrid>
      <StatCard
        label="Total Files"
        value={stats === undefined ? absent : formatCount(stats.totalFiles)}
        note={
          matching === undefined
            ? NO_NOTE
            : matches(formatTotal(matching.pagination.total, matching.pagination.totalIsCapped))
        }
        icon={<Files aria-hidden="true" />}
      />
      <StatCard
        label="Total Size"
        value={stats === undefined ? absent : formatBytes(stats.totalSize)}
        note={matching === undefined ? NO_NOTE : matches(matching.summary.totalSizeFormatted)}
        icon={<HardDrive aria-hidden="true" />}
      />
      <StatCard
        label="Users with Files"
        value={stats === undefined ? absent : formatCount(stats.usersWithFiles)}
        note={
          matching === undefined
            ? NO_NOTE
            : matches(formatCount(matching.byUser.filter(({ userId }) => userId !== null).length))
        }
        icon={<Users aria-hidden="true" />}
      />
      <StatCard
        label="Complete Files"
        value={stats === undefined ? absent : formatCount(stats.byStatus.complete)}
        note={matching === undefined ? NO_NOTE : matches(formatCount(matching.byStatus.complete))}
        icon={<CircleCheck aria-hidden="true" />}
      />
    </StatGrid>
  );
}

function matches(text: string): string {
  return `${text} matching the filters`;
}
