import type { DataOf } from "#contract/call.ts";
import type { browseFiles, fileStats } from "#contract/files.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { formatCount } from "#console/lib/format.ts";
import { Figures } from "#console/ui/figures.tsx";

/** Totals over all files, and beside each that of the filtered ones. */
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
  const absent = failed ? "Unknown" : undefined;
  // Where counting stopped, all of them are of the files counted so far.
  const more = matching?.pagination.totalIsCapped === true ? "+" : "";
  const note = (of: string | undefined) => of && `(${of}${more} matching the filters)`;
  const figures = [
    {
      name: "Total Files",
      value: stats && formatCount(stats.totalFiles),
      note: note(matching && formatCount(matching.pagination.total)),
    },
    {
      name: "Total Size",
      value: stats && formatBytes(stats.totalSize),
      note: note(matching?.summary.totalSizeFormatted),
    },
    {
      name: "Users with Files",
      value: stats && formatCount(stats.usersWithFiles),
      note: note(matching && formatCount(matching.users)),
    },
    {
      name: "Complete Files",
      value: stats && formatCount(stats.byStatus.complete),
      note: note(matching && formatCount(matching.byStatus.complete)),
    },
  ];
  return (
    <Figures
      look="line"
      figures={figures.map(({ value = absent, ...figure }) => ({ ...figure, value }))}
    />
  );
}
