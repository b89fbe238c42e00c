import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CloudDownload, HardDrive, TriangleAlert, Users } from "lucide-react";
import type { DashboardStats } from "#contract/dashboard.ts";
import type { Permission } from "#contract/permissions.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { useManyFailed } from "#console/lib/failed-queries.ts";
import { formatCount, formatPercent } from "#console/lib/format.ts";
import { Banner } from "#console/ui/banner.tsx";
import { Button } from "#console/ui/button.tsx";
import {
  StatCard,
  StatContent,
  StatGrid,
  statLinkClassName,
  type StatCardContent,
} from "#console/ui/stat-card.tsx";

/** The four numbers, each linked to what it counts. */
export function StatCards({ stats }: { readonly stats: UseQueryResult<DashboardStats> }) {
  const hasBanner = useManyFailed();
  if (stats.isError && stats.data === undefined) {
    if (hasBanner) return null;
    return (
      <Banner
        tone="bad"
        actions={
          <Button busy={stats.isFetching} onClick={() => void stats.refetch()}>
            Retry
          </Button>
        }
      >
        Failed to load the dashboard's numbers. {messageOf(stats.error)}
      </Banner>
    );
  }
  const { data } = stats;
  return (
    <StatGrid>
      <LinkedStat
        to="/uploads"
        permission="read:uploads"
        block={data?.uploads}
        label="Total Uploads"
        icon={<CloudDownload aria-hidden="true" />}
        read={({ total, today }) => [formatCount(total), `+${formatCount(today)} today`]}
      />
      <LinkedStat
        to="/users"
        permission="read:users"
        block={data?.users}
        label="Active Users"
        icon={<Users aria-hidden="true" />}
        read={({ active, total }) => [formatCount(active), `of ${formatCount(total)} total`]}
      />
      <LinkedStat
        to="/files"
        permission="read:uploads"
        block={data?.storage}
        label="Storage Used"
        icon={<HardDrive aria-hidden="true" />}
        read={({ used, percentage }) => [
          formatBytes(used),
          `${formatPercent(percentage)} of total`,
        ]}
      />
      <LinkedStat
        to="/uploads/failed"
        permission="read:uploads"
        block={data?.uploads}
        label="Failed Uploads"
        icon={<TriangleAlert aria-hidden="true" />}
        read={({ failed, pending }) => [formatCount(failed), `${formatCount(pending)} pending`]}
      />
    </StatGrid>
  );
}

function LinkedStat<Block>({
  to,
  permission,
  block,
  read,
  ...card
}: Pick<StatCardContent, "label" | "icon"> & {
  readonly to: "/uploads" | "/users" | "/files" | "/uploads/failed";
  readonly permission: Permission;
  /** Undefined while loading; null without permission. */
  readonly block: Block | null | undefined;
  readonly read: (block: Block) => readonly [value: string, note: string];
}) {
  if (block === undefined) return <StatCard {...card} value={null} note={"\u00A0"} />;
  if (block === null) {
    return <StatCard {...card} value="—" note={`Needs ${permission}`} />;
  }
  const [value, note] = read(block);
  return (
    <Link to={to} className={statLinkClassName}>
      <StatContent {...card} value={value} note={note} />
    </Link>
  );
}
