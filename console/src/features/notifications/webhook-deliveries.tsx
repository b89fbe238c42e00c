import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { webhookDeliveries, type Webhook, type WebhookDelivery } from "#contract/webhooks.ts";
import { callQuery } from "#console/lib/call-query.ts";
import { formatPlural } from "#console/lib/format.ts";
import { usePolling } from "#console/lib/polling.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Button } from "#console/ui/button.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { Dialog } from "#console/ui/dialog.tsx";
import { EmptyState } from "#console/ui/empty-state.tsx";
import { QueryBody } from "#console/ui/query-body.tsx";
import { Time } from "#console/ui/time.tsx";
import { DeliveryBadge } from "./delivery-log.tsx";
import { LOG_POLL_MS } from "./notification-queries.ts";
import styles from "./webhooks.module.css";

const PAGE_SIZE = 20;

/** What a webhook was sent, newest first. */
export function DeliveriesDialog({
  webhook,
  onClose,
}: {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}) {
  const [page, setPage] = useState(0);
  const query = usePolling(
    useQuery({
      ...callQuery(webhookDeliveries, {
        params: { id: webhook.id },
        query: { limit: PAGE_SIZE, offset: page * PAGE_SIZE },
      }),
      placeholderData: keepPreviousData,
    }),
    LOG_POLL_MS,
  );
  const total = query.data?.total ?? 0;
  return (
    <Dialog
      title={`Deliveries of ${visibleText(webhook.name)}`}
      shape="wide"
      onClose={onClose}
      footer={
        total > PAGE_SIZE && (
          <>
            <Button disabled={page === 0} onClick={() => setPage(page - 1)}>
              Newer
            </Button>
            <Button disabled={(page + 1) * PAGE_SIZE >= total} onClick={() => setPage(page + 1)}>
              Older
            </Button>
          </>
        )
      }
    >
      <QueryBody query={query}>
        {({ deliveries }) =>
          deliveries.length === 0 ? (
            <EmptyState title="No deliveries yet" hint="Its events appear here as they happen." />
          ) : (
            <ul className="stack gap3 ruled">
              {deliveries.map((delivery) => (
                <DeliveryRow key={delivery.id} delivery={delivery} />
              ))}
            </ul>
          )
        }
      </QueryBody>
    </Dialog>
  );
}

function DeliveryRow({
  delivery: { type, title, status, attempts, result, createdAt },
}: {
  readonly delivery: WebhookDelivery;
}) {
  return (
    <li className={classNames("between small", styles.delivery)}>
      <div className="stack gap1 fill">
        <div className="wrap">
          <DeliveryBadge status={status} />
          <span className="strong anywhere">{visibleText(title ?? type)}</span>
        </div>
        <p className="tiny soft anywhere">
          <Time at={createdAt} />
          {attempts > 0 && ` · ${formatPlural(attempts, "attempt")}`}
          {status !== "delivered" && result !== null && ` · ${visibleText(result)}`}
        </p>
      </div>
    </li>
  );
}
