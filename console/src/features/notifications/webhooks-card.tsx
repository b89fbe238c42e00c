import { useQuery } from "@tanstack/react-query";
import { Clock, Plus } from "lucide-react";
import { useState } from "react";
import {
  deleteWebhook,
  MAX_WEBHOOKS,
  rotateWebhookSecret,
  type Webhook,
} from "#contract/webhooks.ts";
import { call } from "#console/lib/api-client.ts";
import { formatPlural } from "#console/lib/format.ts";
import { usePolling } from "#console/lib/polling.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Badge } from "#console/ui/badge.tsx";
import { Banner } from "#console/ui/banner.tsx";
import { Button } from "#console/ui/button.tsx";
import { Switch } from "#console/ui/checkbox.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { EmptyState } from "#console/ui/empty-state.tsx";
import { RowMenu } from "#console/ui/list/row-menu.tsx";
import { QueryCard } from "#console/ui/query-card.tsx";
import { Time } from "#console/ui/time.tsx";
import { LOG_POLL_MS } from "./notification-queries.ts";
import {
  useRefreshWebhooks,
  useSwitchWebhook,
  useTestWebhook,
  webhooksQuery,
} from "./webhook-actions.ts";
import { DeliveryBadge } from "./delivery-log.tsx";
import { DeliveriesDialog } from "./webhook-deliveries.tsx";
import { SecretDialog } from "./secret-dialog.tsx";
import { WebhookDialog } from "./webhook-dialog.tsx";
import { FORMAT_LABELS } from "./webhook-words.ts";
import styles from "./webhooks.module.css";

type Opened = {
  readonly what: "change" | "secret" | "deliveries" | "delete";
  readonly webhook: Webhook;
};

/** Programs that are told of events, for the whole deployment. */
export function WebhooksCard({ isNew }: { readonly isNew: boolean }) {
  const query = usePolling(useQuery(webhooksQuery()), LOG_POLL_MS);
  const missing = useMissingPermission("write:system");
  const refresh = useRefreshWebhooks();
  const [isAdding, setAdding] = useState(isNew && missing === undefined);
  const [opened, setOpened] = useState<Opened | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const close = () => setOpened(null);
  const isFull = (query.data?.webhooks.length ?? 0) >= MAX_WEBHOOKS;
  const webhook = opened?.webhook;
  return (
    <>
      <QueryCard
        title="Webhooks"
        query={query}
        permission="read:system"
        intervalMs={LOG_POLL_MS}
        actions={
          <Button
            icon={<Plus />}
            disabledReason={missing ?? (isFull ? `There are ${MAX_WEBHOOKS} already.` : undefined)}
            onClick={() => setAdding(true)}
          >
            Add Webhook
          </Button>
        }
      >
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <EmptyState
              title="No webhooks yet"
              hint="A webhook sends events to a program, to Discord, ntfy or Apprise, for the whole deployment."
            />
          ) : (
            <ul className="stack gap4 ruled">
              {webhooks.map((each) => (
                <WebhookRow
                  key={each.id}
                  webhook={each}
                  missing={missing}
                  onOpen={(what) => setOpened({ what, webhook: each })}
                />
              ))}
            </ul>
          )
        }
      </QueryCard>
      {isAdding && (
        <WebhookDialog webhook={null} onSecret={setSecret} onClose={() => setAdding(false)} />
      )}
      {secret !== null && (
        <SecretDialog
          what="secret"
          use="The receiver verifies each event with it."
          secret={secret}
          onClose={() => setSecret(null)}
        />
      )}
      {webhook !== undefined && opened?.what === "change" && (
        <WebhookDialog webhook={webhook} onSecret={setSecret} onClose={close} />
      )}
      {webhook !== undefined && opened?.what === "secret" && (
        <ConfirmDialog
          title={`Replace the secret of ${visibleText(webhook.name)}?`}
          question="The present secret signs nothing more. Enter the new one at the receiver at once: until then it refuses the events, which are sent again."
          confirmLabel="Replace"
          onConfirm={async () => {
            setSecret((await call(rotateWebhookSecret, { params: { id: webhook.id } })).secret);
          }}
          onClose={close}
        />
      )}
      {webhook !== undefined && opened?.what === "deliveries" && (
        <DeliveriesDialog webhook={webhook} onClose={close} />
      )}
      {webhook !== undefined && opened?.what === "delete" && (
        <ConfirmDialog
          title={`Delete ${visibleText(webhook.name)}?`}
          question="Events that wait for it are not sent, and its deliveries are forgotten."
          confirmLabel="Delete"
          danger
          onConfirm={async () => {
            await call(deleteWebhook, { params: { id: webhook.id } });
            await refresh();
          }}
          onClose={close}
        />
      )}
    </>
  );
}

function WebhookRow({
  webhook,
  missing,
  onOpen,
}: {
  readonly webhook: Webhook;
  /** The reason why nothing may be changed. */
  readonly missing: string | undefined;
  readonly onOpen: (what: Opened["what"]) => void;
}) {
  const change = useSwitchWebhook();
  const test = useTestWebhook();
  const name = visibleText(webhook.name);
  const mayChange = missing === undefined ? {} : { disabledReason: missing };
  return (
    <li className="stack gap3">
      <div className="between">
        <div className={classNames("stack gap1 small", styles.facts)}>
          <div className="wrap">
            <h3 className="small anywhere">{name}</h3>
            <Badge tone="neutral">{FORMAT_LABELS[webhook.format]}</Badge>
          </div>
          <p className="soft anywhere">
            {visibleText(webhook.host)} · {formatPlural(webhook.events.length, "event")}
            {webhook.pending > 0 && ` · ${webhook.pending} waiting`}
          </p>
          <LastAttempt webhook={webhook} />
        </div>
        <div className="wrap gap3">
          <Switch
            label={webhook.isEnabled ? "On" : "Off"}
            checked={webhook.isEnabled}
            disabled={missing !== undefined || change.isPending}
            onChange={() => change.mutate(webhook)}
          />
          <Button
            aria-label={`Test ${name}`}
            busy={test.isPending}
            {...mayChange}
            onClick={() => test.mutate(webhook.id)}
          >
            Test
          </Button>
          <RowMenu
            name={name}
            items={[
              { label: "Deliveries", onSelect: () => onOpen("deliveries") },
              { label: "Change", ...mayChange, onSelect: () => onOpen("change") },
              ...(webhook.format === "standard"
                ? [{ label: "Replace secret", ...mayChange, onSelect: () => onOpen("secret") }]
                : []),
              { label: "Delete", danger: true, ...mayChange, onSelect: () => onOpen("delete") },
            ]}
          />
        </div>
      </div>
      {webhook.offReason !== null && (
        <Banner tone="warn">Switched off: {visibleText(webhook.offReason)}</Banner>
      )}
      <div aria-live="polite" className={styles.result}>
        {test.data !== undefined && (
          <Banner tone={test.data.isDelivered ? "info" : "bad"}>
            Test: {visibleText(test.data.result)}
            {test.data.answer !== "" && (
              <pre className={classNames("tiny", styles.answer)}>
                {visibleText(test.data.answer)}
              </pre>
            )}
          </Banner>
        )}
      </div>
    </li>
  );
}

function LastAttempt({ webhook: { lastAttempt } }: { readonly webhook: Webhook }) {
  if (lastAttempt === null)
    return (
      <p className="row soft">
        <Badge tone="neutral" icon={<Clock />}>
          Nothing sent yet
        </Badge>
      </p>
    );
  const { at, isDelivered, result } = lastAttempt;
  return (
    <p className="wrap soft">
      <DeliveryBadge status={isDelivered ? "delivered" : "failed"} />
      <Time at={at} />
      {!isDelivered && <span className="anywhere">{visibleText(result)}</span>}
    </p>
  );
}
