import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { CircleCheck, CircleX, Clock, Inbox } from "lucide-react";
import type { ReactNode } from "react";
import type { Channel, Delivery } from "#contract/notifications.ts";
import { formatPlural } from "#console/lib/format.ts";
import { useListAddress, useRowsOfPage } from "#console/lib/list-address.ts";
import { usePolling } from "#console/lib/polling.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Badge, type Tone } from "#console/ui/badge.tsx";
import { EmptyList, ListCard } from "#console/ui/list/list-card.tsx";
import { StaleMark } from "#console/ui/stale-mark.tsx";
import { SkeletonRows, Table } from "#console/ui/list/table.tsx";
import { Time } from "#console/ui/time.tsx";
import { deliveriesQuery, LOG_PAGE_SIZE, LOG_POLL_MS } from "./notification-queries.ts";
import styles from "./notifications-page.module.css";
import type { NotificationsSearch } from "./notifications-search.ts";

const COLUMNS = [
  { id: "message", header: "Message" },
  { id: "channel", header: "Channel" },
  { id: "status", header: "Status" },
  { id: "created", header: "Created" },
] as const;

const CHANNEL_LABELS: Readonly<Record<Channel, string>> = {
  browser: "Browser",
  telegram: "Telegram",
  email: "Email",
};

const STATUSES: Readonly<
  Record<Delivery["status"], { tone: Tone; label: string; icon: ReactNode }>
> = {
  pending: { tone: "info", label: "Pending", icon: <Clock aria-hidden="true" /> },
  delivered: { tone: "good", label: "Delivered", icon: <CircleCheck aria-hidden="true" /> },
  failed: { tone: "bad", label: "Failed", icon: <CircleX aria-hidden="true" /> },
};

const route = getRouteApi("/notifications");

/** The administrator's deliveries, with the reason where one failed. */
export function DeliveryLog() {
  const { page = 1 } = route.useSearch();
  const { goTo, turn } = useListAddress<NotificationsSearch>(route.useNavigate());
  const log = useQuery(deliveriesQuery(page));
  usePolling(log, LOG_POLL_MS);
  const { data } = log;
  const facts = data && {
    page,
    limit: LOG_PAGE_SIZE,
    total: data.total,
    hasPrev: page > 1,
    hasNext: page * LOG_PAGE_SIZE < data.total,
  };
  // Placeholder rows of the previous page say nothing about this one.
  const answer = log.isPlaceholderData ? undefined : facts;
  const deliveries = useRowsOfPage(page, answer, data?.events, goTo);
  return (
    <ListCard
      title="Delivery Log"
      actions={<StaleMark query={log} intervalMs={LOG_POLL_MS} />}
      query={log}
      facts={facts}
      isEmpty={deliveries?.length === 0}
      failure={{ title: "Failed to load the delivery log" }}
      empty={
        <EmptyList
          icon={<Inbox />}
          title="Nothing has been sent to you yet"
          onClear={undefined}
          firstHint="Press Test on an event to see a delivery here."
        />
      }
      noun={["delivery", "deliveries"]}
      pagination="beyond-one-page"
      page={page}
      onTurn={turn}
    >
      <Table caption="Delivery log" columns={COLUMNS} busy={log.isPlaceholderData} stacked>
        {deliveries === undefined ? (
          <SkeletonRows rows={3} columns={COLUMNS.length} />
        ) : (
          deliveries.map((delivery) => <DeliveryRow key={delivery.id} delivery={delivery} />)
        )}
      </Table>
    </ListCard>
  );
}

function DeliveryRow({ delivery }: { readonly delivery: Delivery }) {
  const { channel, status, createdAt } = delivery;
  return (
    <tr>
      <td data-wide="true">
        <Message delivery={delivery} />
      </td>
      <td data-label="Channel" data-grow="true">
        {CHANNEL_LABELS[channel]}
      </td>
      <td data-label="Status" data-grow="true">
        <Badge tone={STATUSES[status].tone} icon={STATUSES[status].icon}>
          {STATUSES[status].label}
        </Badge>
      </td>
      <td data-label="Created">
        <Time at={createdAt} />
      </td>
    </tr>
  );
}

function Message({ delivery }: { readonly delivery: Delivery }) {
  return (
    <div className={styles.delivery}>
      <span className={styles.deliveryTitle}>{visibleText(delivery.title)}</span>
      {delivery.error !== null && (
        <span className={styles.deliveryError}>
          {visibleText(delivery.error)} ({formatPlural(delivery.attempts, "attempt")})
        </span>
      )}
    </div>
  );
}
