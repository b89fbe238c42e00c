import { CircleAlert, Info, Send, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { DataOf } from "#contract/call.ts";
import type { Severity } from "#contract/notification-events.ts";
import type { Channel, notificationConfig } from "#contract/notifications.ts";
import { formatPlural } from "#console/lib/format.ts";
import { Badge, type Tone } from "#console/ui/badge.tsx";
import { Banner } from "#console/ui/banner.tsx";
import { Button } from "#console/ui/button.tsx";
import { Card } from "#console/ui/card.tsx";
import { Switch } from "#console/ui/checkbox.tsx";
import { Skeleton } from "#console/ui/skeleton.tsx";
import { useEventTest } from "./notification-actions.ts";
import styles from "./notifications-page.module.css";
import {
  channelsOf,
  eventsWithoutAddress,
  toggleChannel,
  type PreferenceDraft,
} from "./preference-draft.ts";

type Config = DataOf<typeof notificationConfig>;
type EventInfo = Config["eventTypes"][number];
type ChannelInfo = Config["channels"][number];

const SEVERITIES: Readonly<Record<Severity, { tone: Tone; label: string; icon: ReactNode }>> = {
  critical: { tone: "bad", label: "Critical", icon: <CircleAlert aria-hidden="true" /> },
  high: { tone: "alert", label: "High", icon: <TriangleAlert aria-hidden="true" /> },
  medium: { tone: "warn", label: "Medium", icon: <TriangleAlert aria-hidden="true" /> },
  low: { tone: "info", label: "Low", icon: <Info aria-hidden="true" /> },
};

/** One card per event that the administrator may subscribe to. */
export function EventList({
  config,
  draft,
  disabled,
  onChange,
}: {
  /** Undefined until the first answer. */
  readonly config: Config | undefined;
  readonly draft: PreferenceDraft;
  readonly disabled: boolean;
  readonly onChange: (draft: PreferenceDraft) => void;
}) {
  const test = useEventTest();
  const channels = config?.channels.filter(({ available }) => available) ?? [];
  return (
    <Card title="Event Notifications">
      <ChannelNotes channels={config?.channels ?? []} draft={draft} />
      <ul className={styles.events} aria-busy={config === undefined || undefined}>
        {config === undefined
          ? Array.from({ length: 6 }, (_card, index) => (
              <li key={index} className={styles.event}>
                <Skeleton width="50%" />
                <Skeleton width="90%" />
                <Skeleton width="70%" />
              </li>
            ))
          : config.eventTypes.map((event) => (
              <EventCard
                key={event.type}
                event={event}
                channels={channels}
                enabled={channelsOf(draft, event.type)}
                disabled={disabled}
                testing={test.isPending && test.variables === event.type}
                onToggle={(channel, enabled) =>
                  onChange(toggleChannel(draft, event.type, channel, enabled))
                }
                onTest={() => test.mutate(event.type)}
              />
            ))}
      </ul>
    </Card>
  );
}

/** Why a channel can't reach the administrator. */
function ChannelNotes({
  channels,
  draft,
}: {
  readonly channels: readonly ChannelInfo[];
  readonly draft: PreferenceDraft;
}) {
  const notes = channels.flatMap(({ type, label, available, unavailableReason }) => {
    if (!available) return [`${label} is not available. ${unavailableReason ?? ""}`];
    if (type === "browser") return [];
    const events = eventsWithoutAddress(draft, type);
    const field = type === "telegram" ? "Telegram User ID" : "Email Address";
    return events === 0
      ? []
      : [`${label} is chosen for ${formatPlural(events, "event")}, but no ${field} is given.`];
  });
  if (notes.length === 0) return null;
  return (
    <div className={styles.notes}>
      {notes.map((note) => (
        <Banner key={note} tone="info">
          {note}
        </Banner>
      ))}
    </div>
  );
}

function EventCard({
  event,
  channels,
  enabled,
  disabled,
  testing,
  onToggle,
  onTest,
}: {
  readonly event: EventInfo;
  readonly channels: readonly ChannelInfo[];
  readonly enabled: readonly Channel[];
  readonly disabled: boolean;
  readonly testing: boolean;
  readonly onToggle: (channel: Channel, enabled: boolean) => void;
  readonly onTest: () => void;
}) {
  const severity = SEVERITIES[event.severity];
  const isSilent = event.severity === "critical" && enabled.length === 0 && !disabled;
  return (
    <li className={styles.event}>
      <div className={styles.eventHead}>
        <div className={styles.eventTitle}>
          <h3>{event.label}</h3>
          <Badge tone={severity.tone} icon={severity.icon}>
            {severity.label}
          </Badge>
        </div>
        <Button
          icon={<Send />}
          aria-label={`Test ${event.label}`}
          busy={testing}
          disabled={disabled}
          onClick={onTest}
        >
          Test
        </Button>
      </div>
      <div>
        <p className={styles.description}>{event.description}</p>
        {isSilent && <p className={styles.silent}>No channel is on: you would not hear of it.</p>}
      </div>
      <div className={styles.channels} role="group" aria-label={`Channels for ${event.label}`}>
        {channels.map(({ type, label }) => (
          <Switch
            key={type}
            label={label}
            checked={enabled.includes(type)}
            disabled={disabled}
            onChange={(checked) => onToggle(type, checked)}
          />
        ))}
      </div>
    </li>
  );
}
