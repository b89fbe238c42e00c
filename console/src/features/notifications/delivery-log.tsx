import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { CircleCheck, CircleX, Clock, Inbox } from "lucide-react";
import type { ReactNode } from "react";
import type { Channel, Delivery } from "#contract/notifications.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { formatPlural } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Badge, type Tone } from "#console/ui/badge.tsx";
import { Card } from "#console/ui/card.tsx";
import { EmptyState } from "#console/ui/empty-state.tsx";
import { ErrorState } from "#console/ui/error-state.tsx";
import { Pagination } from "#console/ui/pagination.tsx";
import { SkeletonRows, Table } from "#console/ui/table.tsx";
import { Time } from "#console/ui/time.tsx";
import { deliveriesQuery, LOG_PAGE_SIZE } from "./notification-queries.ts";
import styles from "./notifications-page.module.css";

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

/** Whether what was sent to me arrived, and why not. */
export function DeliveryLog() {
  const { page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  const log = useQuery(deliveriesQuery(page));
  const { data } = log;
  if (log.isError && data === undefined) {
    return (
      <Card title="Delivery Log">
        <ErrorState
          title="Failed to load the delivery log"
          message={messageOf(log.error)}
          retrying={log.isFetching}
          onRetry={() => void log.refetch()}
        />
      </Card>
    );
  }
  return (
    <Card title="Delivery Log">
      {data?.events.length === 0 ? (
        <EmptyState
          icon={<Inbox />}
          title="Nothing has been sent to you yet"
          hint="Press Test on an event to see a delivery here."
        />
      ) : (
        <>
          <Table caption="Delivery log" columns={COLUMNS} busy={log.isPlaceholderData} stacked>
            {data === undefined ? (
              <SkeletonRows rows={3} columns={COLUMNS.length} />
            ) : (
              data.events.map((delivery) => (
                <tr key={delivery.id}>
                  <td data-wide="true">
                    <Message delivery={delivery} />
                  </td>
                  <td data-label="Channel" data-grow="true">
                    {CHANNEL_LABELS[delivery.channel]}
                  </td>
                  <td data-label="Status" data-grow="true">
                    <Badge
                      tone={STATUSES[delivery.status].tone}
                      icon={STATUSES[delivery.status].icon}
                    >
                      {STATUSES[delivery.status].label}
                    </Badge>
                  </td>
                  <td data-label="Created">
                    <Time at={delivery.createdAt} />
                  </td>
                </tr>
              ))
            )}
          </Table>
          {data !== undefined && data.total > LOG_PAGE_SIZE && (
            <Pagination
              facts={{
                page,
                limit: LOG_PAGE_SIZE,
                total: data.total,
                hasPrev: page > 1,
                hasNext: page * LOG_PAGE_SIZE < data.total,
              }}
              noun="deliveries"
              onPage={(next) =>
                void navigate({
                  search: { page: next === 1 ? undefined : next },
                  resetScroll: false,
                })
              }
            />
          )}
        </>
      )}
    </Card>
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
