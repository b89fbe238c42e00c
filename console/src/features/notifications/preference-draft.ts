import { EVENT_TYPES, type EventType, type Severity } from "#contract/notification-events.ts";
import { CHANNELS, type Channel, type NotificationPreferences } from "#contract/notifications.ts";

/** The form's state: contact fields as typed, and the channels of every event. */
export type PreferenceDraft = {
  readonly telegramUserId: string;
  readonly telegramUsername: string;
  readonly email: string;
  readonly enabledEvents: NotificationPreferences["enabledEvents"];
};

export const EMPTY_DRAFT: PreferenceDraft = {
  telegramUserId: "",
  telegramUsername: "",
  email: "",
  enabledEvents: {},
};

export function draftOf(preferences: NotificationPreferences): PreferenceDraft {
  return {
    telegramUserId: preferences.telegramUserId ?? "",
    telegramUsername: preferences.telegramUsername ?? "",
    email: preferences.email ?? "",
    enabledEvents: preferences.enabledEvents,
  };
}

/** The request body: empty contact fields are omitted (docs/console.md#words). */
export function preferencesOf(draft: PreferenceDraft): NotificationPreferences {
  const telegramUserId = draft.telegramUserId.trim();
  const telegramUsername = draft.telegramUsername.trim();
  const email = draft.email.trim();
  return {
    ...(telegramUserId === "" ? {} : { telegramUserId }),
    ...(telegramUsername === "" ? {} : { telegramUsername }),
    ...(email === "" ? {} : { email }),
    enabledEvents: draft.enabledEvents,
  };
}

export function channelsOf(draft: PreferenceDraft, type: EventType): readonly Channel[] {
  return draft.enabledEvents[type] ?? [];
}

/** Toggles one channel of one event; what the screen does not show stays unchanged. */
export function toggleChannel(
  draft: PreferenceDraft,
  type: EventType,
  channel: Channel,
  enabled: boolean,
): PreferenceDraft {
  const before = channelsOf(draft, type);
  const after = CHANNELS.filter((one) => (one === channel ? enabled : before.includes(one)));
  return { ...draft, enabledEvents: { ...draft.enabledEvents, [type]: after } };
}

/** A missing event has no channels, and the order of channels is ignored. */
export function isSameDraft(one: PreferenceDraft, other: PreferenceDraft): boolean {
  return (
    one.telegramUserId === other.telegramUserId &&
    one.telegramUsername === other.telegramUsername &&
    one.email === other.email &&
    EVENT_TYPES.every((type) => {
      const channels = channelsOf(one, type);
      const others = channelsOf(other, type);
      return (
        channels.length === others.length && channels.every((channel) => others.includes(channel))
      );
    })
  );
}

/** Number of events sent by a channel that has no address. */
export function eventsWithoutAddress(
  draft: PreferenceDraft,
  channel: "telegram" | "email",
): number {
  const address = channel === "telegram" ? draft.telegramUserId : draft.email;
  if (address.trim() !== "") return 0;
  return EVENT_TYPES.filter((type) => channelsOf(draft, type).includes(channel)).length;
}

/** All events of these severities by every channel that has an address, the others by none. */
export function presetOf(
  draft: PreferenceDraft,
  events: readonly { readonly type: EventType; readonly severity: Severity }[],
  severities: readonly Severity[],
): PreferenceDraft {
  const hasAddress = {
    browser: true,
    telegram: draft.telegramUserId.trim() !== "",
    email: draft.email.trim() !== "",
  };
  const reached = CHANNELS.filter((channel) => hasAddress[channel]);
  const chosen = events.map(
    ({ type, severity }) => [type, severities.includes(severity) ? reached : []] as const,
  );
  return { ...draft, enabledEvents: { ...draft.enabledEvents, ...Object.fromEntries(chosen) } };
}
