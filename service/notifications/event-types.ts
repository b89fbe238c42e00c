import type { EventType, Severity } from "#contract/notification-events.ts";
import type { Channel } from "#contract/notifications.ts";
import type { Permission } from "#contract/permissions.ts";

export type EventTypeInfo = {
  readonly label: string;
  readonly description: string;
  readonly severity: Severity;
  /** Recipients need this permission; null: every administrator. */
  readonly permission: Permission | null;
  /** Channels of users who have never chosen. */
  readonly defaultChannels: readonly Channel[];
};

/** Properties of each event type. */
export const EVENT_TYPE_INFO: Readonly<Record<EventType, EventTypeInfo>> = {
  upload_completed: {
    label: "Upload completed",
    description: "A video was stored, and every byte of it was proved.",
    severity: "low",
    permission: "read:uploads",
    defaultChannels: [],
  },
  upload_failed: {
    label: "Upload failed",
    description: "An upload failed for a reason that waiting will not fix.",
    severity: "high",
    permission: "read:uploads",
    defaultChannels: ["browser"],
  },
  upload_stalled: {
    label: "Upload stalled",
    description:
      "An upload received no data for ten minutes and was restarted from its checkpoint.",
    severity: "medium",
    permission: "read:uploads",
    defaultChannels: ["browser"],
  },
  retries_exhausted: {
    label: "Retries used up",
    description: "A failed upload has reached its last retry and needs a decision.",
    severity: "high",
    permission: "read:uploads",
    defaultChannels: ["browser"],
  },
  source_incomplete: {
    label: "Source incomplete",
    description:
      "A video was stored whole, but its playlist was shorter than the duration that its source states.",
    severity: "medium",
    permission: "read:uploads",
    defaultChannels: ["browser"],
  },
  chat_incomplete: {
    label: "Chat incomplete",
    description: "Twitch no longer had a chat replay before all of it was stored.",
    severity: "medium",
    permission: "read:uploads",
    defaultChannels: ["browser"],
  },
  vod_in_danger: {
    label: "VOD in danger",
    description: "A VOD that a rule takes still waits, and the source may delete it within a day.",
    severity: "high",
    permission: "read:uploads",
    defaultChannels: ["browser"],
  },
  vod_lost: {
    label: "VOD lost",
    description: "The source deleted a VOD that a rule takes before it was stored.",
    severity: "high",
    permission: "read:uploads",
    defaultChannels: ["browser"],
  },
  files_trashed: {
    label: "Files in the trash",
    description: "Rules moved files to the trash, from which a click restores them. Once a day.",
    severity: "medium",
    permission: "read:uploads",
    defaultChannels: ["browser"],
  },
  channel_trouble: {
    label: "Channel gives no VODs",
    description: "A followed channel is live but keeps no VODs, or Twitch no longer knows it.",
    severity: "medium",
    permission: "read:uploads",
    defaultChannels: ["browser"],
  },
  file_damaged: {
    label: "Stored file damaged",
    description: "A stored file no longer holds the bytes that were proved when it was archived.",
    severity: "critical",
    permission: "read:uploads",
    defaultChannels: ["browser"],
  },
  orphaned_files_found: {
    label: "Orphaned files found",
    description: "The store holds files that belong to no upload; they cost storage until deleted.",
    severity: "low",
    permission: "read:uploads",
    defaultChannels: ["browser"],
  },
  budget_warning: {
    label: "Budget warning",
    description: "This month's cost has reached one of the thresholds below the budget.",
    severity: "medium",
    permission: "read:system",
    defaultChannels: ["browser"],
  },
  budget_exceeded: {
    label: "Budget spent",
    description: "This month's cost has reached the whole budget.",
    severity: "critical",
    permission: "read:system",
    defaultChannels: ["browser"],
  },
  service_unhealthy: {
    label: "Service unhealthy",
    description: "A component such as the database or the object store is not working normally.",
    severity: "critical",
    permission: "read:system",
    defaultChannels: ["browser"],
  },
  disk_space_low: {
    label: "Disk space low",
    description: "Free disk space is close to the reserve, below which archives and uploads wait.",
    severity: "high",
    permission: "read:system",
    defaultChannels: ["browser"],
  },
  backup_failed: {
    label: "Backup failed",
    description:
      "The database was not backed up for two nights, or a backup could not be restored in a test.",
    severity: "high",
    permission: "read:system",
    defaultChannels: ["browser"],
  },
  consent_changed: {
    label: "Consent changed",
    description: "A channel's owner agreed to archiving, or withdrew consent.",
    severity: "high",
    permission: "read:uploads",
    defaultChannels: ["browser"],
  },
  administrator_changed: {
    label: "Administrator changed",
    description: "Someone's permissions were changed, or a ban on them was lifted.",
    severity: "high",
    permission: null,
    defaultChannels: ["browser"],
  },
  user_banned: {
    label: "User banned",
    description: "Someone was banned.",
    severity: "medium",
    permission: null,
    defaultChannels: ["browser"],
  },
};

export function mayReceive(type: EventType, permissions: readonly Permission[]): boolean {
  const { permission } = EVENT_TYPE_INFO[type];
  return permission === null || permissions.includes(permission);
}
