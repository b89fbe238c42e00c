import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { CircleCheck, CircleX, Clock } from "lucide-react";
import type { ReactNode } from "react";
import type { Channel, Delivery } from "#contract/notifications.ts";
import { formatPlural } from "#console/lib/format.ts";
import { usePolling } from "#console/lib/polling.ts";
import { useList } from "#console/lib/use-list.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Badge, type Tone } from "#console/ui/badge.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { DataTable, type Column } from "#console/ui/list/data-table.tsx";
import { ListCard } from "#console/ui/list/list-card.tsx";
import { StaleMark } from "#console/ui/stale-mark.tsx";
import { Time } from "#console/ui/time.tsx";
import { deliveriesQuery, LOG_POLL_MS } from "./notification-queries.ts";
import styles from "./notifications-page.module.css";

const CHANNEL_LABELS: Readonly<Record<Channel, string>> = {
  browser: "Browser",
  telegram: "Telegram",
  email: "Email",
};

const STATUSES: Readonly<
  Record<Delivery["status"], { tone: Tone; label: string; icon: ReactNode }>
> = {
  pending: { tone: "info", label: "Pending", icon: <Clock /> },
  delivered: { tone: "good", label: "Delivered", icon: <CircleCheck /> },
  failed: { tone: "bad", label: "Failed", icon: <CircleX /> },
};

export function DeliveryBadge({ status }: Pick<Delivery, "status">) {
  const { tone, icon, label } = STATUSES[status];
  return (
    <Badge tone={tone} icon={icon}>
      {label}
    </Badge>
  );
}

const COLUMNS: readonly Column<Delivery>[] = [
  {
    id: "message",
    header: "Message",
    cell: ({ title, error, attempts }) => (
      <div className={classNames("stack gap0 anywhere", styles.delivery)}>
        <span className="strong">{visibleText(title)}</span>
        {error !== null && (
          <span className="tiny bad">
            {visibleText(error)} ({formatPlural(attempts, "attempt")})
          </span>
        )}
      </div>
    ),
    phone: "line",
  },
  {
    id: "channel",
    header: "Channel",
    cell: ({ channel }) => CHANNEL_LABELS[channel],
    phone: "grow",
    labelled: true,
  },
  {
    id: "status",
    header: "Status",
    cell: ({ status }) => <DeliveryBadge status={status} />,
    phone: "grow",
    labelled: true,
  },
  {
    id: "created",
    header: "Created",
    cell: ({ createdAt }) => <Time at={createdAt} />,
    labelled: true,
  },
];

const route = getRouteApi("/notifications");

/** The administrator's deliveries, with the reason where one failed. */
export function DeliveryLog() {
  const search = route.useSearch();
  const log = usePolling(useQuery(deliveriesQuery(search.page ?? 1)), LOG_POLL_MS);
  const list = useList({
    search,
    navigate: route.useNavigate(),
    query: log,
    data: log.data,
    filters: [],
  });
  return (
    <ListCard
      list={list}
      title="Delivery Log"
      actions={<StaleMark query={log} intervalMs={LOG_POLL_MS} />}
      failure={{ title: "Failed to load the delivery log" }}
      empty={{
        title: "No deliveries yet",
        firstHint: "Press Test on an event to see a delivery here.",
      }}
      noun={["delivery", "deliveries"]}
      pagination="beyond-one-page"
    >
      <DataTable
        list={list}
        caption="Delivery log"
        columns={COLUMNS}
        idOf={({ id }) => id}
        skeletonRows={3}
      />
    </ListCard>
  );
}
