import { CircleAlert, Info, Send, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { DataOf } from "#contract/call.ts";
import { EVENT_TYPES, type EventType, type Severity } from "#contract/notification-events.ts";
import type { Channel, notificationConfig } from "#contract/notifications.ts";
import { formatPlural } from "#console/lib/format.ts";
import { Badge, type Tone } from "#console/ui/badge.tsx";
import { Banner } from "#console/ui/banner.tsx";
import { Button } from "#console/ui/button.tsx";
import { Card } from "#console/ui/card.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { Switch } from "#console/ui/checkbox.tsx";
import { Skeleton } from "#console/ui/skeleton.tsx";
import { useEventTest } from "./notification-actions.ts";
import styles from "./notifications-page.module.css";
import {
  channelsOf,
  eventsWithoutAddress,
  isSameDraft,
  presetOf,
  toggleChannel,
  type PreferenceDraft,
} from "./preference-draft.ts";

type Config = DataOf<typeof notificationConfig>;
type EventInfo = Config["eventTypes"][number];
type ChannelInfo = Config["channels"][number];

const SEVERITIES: Readonly<Record<Severity, { tone: Tone; label: string; icon: ReactNode }>> = {
  critical: { tone: "bad", label: "Critical", icon: <CircleAlert /> },
  high: { tone: "alert", label: "High", icon: <TriangleAlert /> },
  medium: { tone: "warn", label: "Medium", icon: <TriangleAlert /> },
  low: { tone: "info", label: "Low", icon: <Info /> },
};

/** Choices for those who do not want to choose twenty times. */
const PRESETS: readonly { readonly label: string; readonly severities: readonly Severity[] }[] = [
  { label: "What I must act on", severities: ["critical", "high"] },
  { label: "Also what was lost", severities: ["critical", "high", "medium"] },
  { label: "Everything", severities: ["critical", "high", "medium", "low"] },
];

/** One row per event that the administrator may subscribe to, and one for all of them. */
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
  function toggle(types: readonly EventType[], channel: Channel, enabled: boolean) {
    onChange(types.reduce((before, type) => toggleChannel(before, type, channel, enabled), draft));
  }
  return (
    <Card title="Event Notifications">
      <div className={classNames("wrap", styles.presets)} role="group" aria-label="Notify me of">
        {PRESETS.map(({ label, severities }) => {
          const preset = presetOf(draft, config?.eventTypes ?? [], severities);
          return (
            <Button
              key={label}
              kind={config !== undefined && isSameDraft(preset, draft) ? "primary" : "secondary"}
              aria-pressed={config !== undefined && isSameDraft(preset, draft)}
              disabled={disabled || config === undefined}
              onClick={() => onChange(preset)}
            >
              {label}
            </Button>
          );
        })}
      </div>
      <div className={styles.events} aria-busy={config === undefined || undefined}>
        <div className={classNames(styles.event, styles.head)}>
          <strong>All events</strong>
          <Channels
            isHead
            label="all events"
            channels={channels}
            isOn={(channel) =>
              EVENT_TYPES.every((type) => channelsOf(draft, type).includes(channel))
            }
            disabled={disabled}
            onToggle={(channel, enabled) => toggle(EVENT_TYPES, channel, enabled)}
          />
        </div>
        <ul>
          {config === undefined
            ? EVENT_TYPES.map((type) => <EventRowPlaceholder key={type} />)
            : config.eventTypes.map((event) => (
                <EventRow
                  key={event.type}
                  event={event}
                  channels={channels}
                  enabled={channelsOf(draft, event.type)}
                  disabled={disabled}
                  testing={test.isPending && test.variables === event.type}
                  onToggle={(channel, enabled) => toggle([event.type], channel, enabled)}
                  onTest={() => test.mutate(event.type)}
                />
              ))}
        </ul>
      </div>
      <ChannelNotes channels={config?.channels ?? []} draft={draft} />
    </Card>
  );
}

/** Channels that are chosen and have no address. */
function ChannelNotes({
  channels,
  draft,
}: {
  readonly channels: readonly ChannelInfo[];
  readonly draft: PreferenceDraft;
}) {
  const notes = channels.flatMap(({ type, label, available }) => {
    if (!available || type === "browser") return [];
    const events = eventsWithoutAddress(draft, type);
    const field = type === "telegram" ? "Telegram User ID" : "Email Address";
    return events === 0
      ? []
      : [`${label} is selected for ${formatPlural(events, "event")}, but no ${field} is given.`];
  });
  if (notes.length === 0) return null;
  return (
    <div className={classNames("stack", styles.below)}>
      {notes.map((note) => (
        <Banner key={note} tone="info">
          {note}
        </Banner>
      ))}
    </div>
  );
}

function EventRowPlaceholder() {
  return (
    <li className={styles.event}>
      <div>
        <p className={classNames("row", styles.eventTitle)}>
          <Skeleton width="9rem" />
        </p>
        <p className={classNames("tiny soft", styles.description)}>
          <Skeleton width="70%" />
        </p>
      </div>
      <div className={styles.channels} />
    </li>
  );
}

function EventRow({
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
      <div>
        <div className={classNames("row", styles.eventTitle)}>
          <h3 className="small">{event.label}</h3>
          <Badge tone={severity.tone} icon={severity.icon}>
            {severity.label}
          </Badge>
        </div>
        <p className={classNames("tiny soft", styles.description)}>
          {event.description}
          {isSilent && <strong className="warn"> No channel is on.</strong>}
        </p>
      </div>
      <Channels
        label={event.label}
        channels={channels}
        isOn={(channel) => enabled.includes(channel)}
        disabled={disabled}
        onToggle={onToggle}
      />
      <Button
        kind="quiet"
        icon={<Send />}
        aria-label={`Test ${event.label}`}
        busy={testing}
        disabled={disabled}
        onClick={onTest}
      >
        Test
      </Button>
    </li>
  );
}

function Channels({
  label,
  isHead = false,
  channels,
  isOn,
  disabled,
  onToggle,
}: {
  readonly label: string;
  /** Names the columns. */
  readonly isHead?: boolean;
  readonly channels: readonly ChannelInfo[];
  readonly isOn: (channel: Channel) => boolean;
  readonly disabled: boolean;
  readonly onToggle: (channel: Channel, enabled: boolean) => void;
}) {
  return (
    <div className={styles.channels} role="group" aria-label={`Channels for ${label}`}>
      {channels.map((channel) => (
        <Switch
          key={channel.type}
          label={channel.label}
          labelHidden={!isHead}
          checked={isOn(channel.type)}
          disabled={disabled}
          onChange={(checked) => onToggle(channel.type, checked)}
        />
      ))}
    </div>
  );
}
