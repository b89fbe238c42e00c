import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { DashboardStats } from "#contract/dashboard.ts";
import type { UploadStatus } from "#contract/upload.ts";
import { formatPlural } from "#console/lib/format.ts";
import { ForbiddenState } from "#console/ui/forbidden-state.tsx";
import { PieChart, type Slice } from "#console/ui/chart/pie-chart.tsx";
import { QueryCard } from "#console/ui/query-card.tsx";
import {
  UPLOAD_STATUS_ICONS,
  UPLOAD_STATUS_LABELS,
  UPLOAD_STATUS_TONES,
} from "#console/ui/upload-status-badge.tsx";
import { STATS_POLL_MS } from "./dashboard-queries.ts";

/** The pie's slices (docs/console.md#warnings). */
const STATUSES = ["completed", "processing", "failed", "pending"] as const;

export function UploadStatusCard({ stats }: { readonly stats: UseQueryResult<DashboardStats> }) {
  return (
    <QueryCard
      title="Upload Status"
      query={stats}
      permission="read:uploads"
      intervalMs={STATS_POLL_MS}
    >
      {({ uploads }) =>
        uploads === null ? (
          <ForbiddenState permission="read:uploads" />
        ) : (
          <StatusChart counts={uploads} />
        )
      }
    </QueryCard>
  );
}

function StatusChart({ counts }: { readonly counts: NonNullable<DashboardStats["uploads"]> }) {
  const slices: Slice[] = STATUSES.map((status) => ({
    id: status,
    label: UPLOAD_STATUS_LABELS[status],
    value: counts[status],
    tone: UPLOAD_STATUS_TONES[status],
    icon: UPLOAD_STATUS_ICONS[status],
  }));
  const total = slices.reduce((sum, { value }) => sum + value, 0);
  if (total === 0) {
    return <p className="small soft">No uploads yet</p>;
  }
  const others = counts.total - total;
  return (
    <>
      <PieChart
        label="Uploads by status"
        slices={slices}
        renderName={({ id, label }) => <StatusLink status={id} label={label} />}
      />
      {others > 0 && <p className="note">{formatPlural(others, "cancelled upload")} not shown</p>}
    </>
  );
}

function StatusLink({ status, label }: { readonly status: string; readonly label: string }) {
  if (status === "failed") return <Link to="/uploads/failed">{label}</Link>;
  const chosen = STATUSES.find((one): one is UploadStatus & typeof one => one === status);
  return (
    <Link to="/uploads" search={{ status: chosen }}>
      {label}
    </Link>
  );
}
