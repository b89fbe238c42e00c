import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { DataOf } from "#contract/call.ts";
import type { fileStats } from "#contract/files.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { fileStatsQuery, STATS_POLL_MS } from "#console/domain/files/file-stats-query.ts";
import { formatCount } from "#console/lib/format.ts";
import { usePolling } from "#console/lib/polling.ts";
import { useCan } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { EmptyState } from "#console/ui/empty-state.tsx";
import { endCellClassName, Table } from "#console/ui/list/table.tsx";
import { QueryCard } from "#console/ui/query-card.tsx";
import styles from "./system.module.css";

const COLUMNS = [
  { id: "channel", header: "Channel", width: "32%" },
  { id: "size", header: "Storage" },
  { id: "files", header: "Files", align: "end", width: "4rem" },
] as const;

/** The channels that use most storage, as a bar chart in a table. */
export function StorageCard() {
  const mayRead = useCan("read:uploads");
  const stats = usePolling(useQuery(fileStatsQuery(mayRead)), mayRead && STATS_POLL_MS);
  return (
    <QueryCard
      title="Storage by Channel"
      query={stats}
      permission="read:uploads"
      intervalMs={STATS_POLL_MS}
    >
      {(data) =>
        data.totalFiles === 0 ? (
          <EmptyState
            title="Nothing is stored"
            hint="The channels with the most storage appear here."
          />
        ) : (
          <div className={styles.storage}>
            <Channels stats={data} />
          </div>
        )
      }
    </QueryCard>
  );
}

function Channels({ stats }: { readonly stats: DataOf<typeof fileStats> }) {
  const { largestOwners, totalSize, totalFiles } = stats;
  const others = {
    size: totalSize - largestOwners.reduce((sum, { size }) => sum + size, 0),
    files: totalFiles - largestOwners.reduce((sum, { files }) => sum + files, 0),
  };
  // The sum of all others would leave the bars of single channels too short to compare.
  const longest = Math.max(...largestOwners.map(({ size }) => size));
  return (
    <Table caption="Storage by channel" columns={COLUMNS}>
      {largestOwners.map(({ userId, username, size, files }) => (
        <tr key={userId}>
          <td className="oneLine">
            <Link to="/files" search={{ user: userId ?? undefined }}>
              {visibleText(username ?? userId ?? "")}
            </Link>
          </td>
          <Size size={size} longest={longest} />
          <td className={endCellClassName}>{formatCount(files)}</td>
        </tr>
      ))}
      {others.files > 0 && (
        <tr>
          <td className="oneLine">
            <Link to="/files">Other</Link>
          </td>
          <td>
            <span className={styles.storageSize}>
              <span />
              {formatBytes(others.size)}
            </span>
          </td>
          <td className={endCellClassName}>{formatCount(others.files)}</td>
        </tr>
      )}
    </Table>
  );
}

function Size({ size, longest }: { readonly size: number; readonly longest: number }) {
  return (
    <td>
      <span className={styles.storageSize}>
        <span className={styles.storageBar}>
          <span style={{ width: `${longest === 0 ? 0 : (size / longest) * 100}%` }} />
        </span>
        {formatBytes(size)}
      </span>
    </td>
  );
}
