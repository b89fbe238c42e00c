import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CloudDownload, HardDrive, TriangleAlert, Users, type LucideIcon } from "lucide-react";
import type { DashboardStats } from "#contract/dashboard.ts";
import type { Permission } from "#contract/permissions.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { useManyFailed } from "#console/lib/failed-queries.ts";
import { formatCount, formatPercent } from "#console/lib/format.ts";
import { Banner } from "#console/ui/banner.tsx";
import { Button } from "#console/ui/button.tsx";
import card from "#console/ui/card.module.css";
import { classNames } from "#console/ui/class-names.ts";
import { Skeleton } from "#console/ui/skeleton.tsx";
import styles from "./stat-cards.module.css";

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
    <div className={styles.grid}>
      <LinkedStat
        to="/uploads"
        permission="read:uploads"
        block={data?.uploads}
        label="Total Uploads"
        icon={CloudDownload}
        read={({ total, today }) => [formatCount(total), `+${formatCount(today)} today`]}
      />
      <LinkedStat
        to="/users"
        permission="read:users"
        block={data?.users}
        label="Active Users"
        icon={Users}
        read={({ active, total }) => [formatCount(active), `of ${formatCount(total)} total`]}
      />
      <LinkedStat
        to="/files"
        permission="read:uploads"
        block={data?.storage}
        label="Storage Used"
        icon={HardDrive}
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
        icon={TriangleAlert}
        read={({ failed, pending }) => [formatCount(failed), `${formatCount(pending)} pending`]}
      />
    </div>
  );
}

function LinkedStat<Block>({
  to,
  permission,
  block,
  read,
  label,
  icon: Icon,
}: {
  readonly to: "/uploads" | "/users" | "/files" | "/uploads/failed";
  readonly permission: Permission;
  readonly label: string;
  readonly icon: LucideIcon;
  /** Undefined while loading; null without permission. */
  readonly block: Block | null | undefined;
  readonly read: (block: Block) => readonly [value: string, note: string];
}) {
  const [value, note] =
    block === null
      ? ["—", `Needs ${permission}`]
      : block === undefined
        ? [<Skeleton key="" width="4ch" />, "\u00A0"]
        : read(block);
  const className = classNames(card.card, styles.stat);
  const content = (
    <>
      <span className={classNames("between tiny soft", styles.label)}>
        {label}
        <Icon className="faint" />
      </span>
      <span className={styles.value}>{value}</span>
      <span className="note oneLine">{note}</span>
    </>
  );
  return block ? (
    <Link to={to} className={className}>
      {content}
    </Link>
  ) : (
    <div className={className}>{content}</div>
  );
}
