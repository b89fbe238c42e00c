import * as z from "zod/mini";

export const severitySchema = z.enum(["critical", "high", "medium", "low"]);
export type Severity = z.infer<typeof severitySchema>;

export const EVENT_TYPES = [
  "upload_completed",
  "upload_failed",
  "upload_stalled",
  "retries_exhausted",
  "source_incomplete",
  "chat_incomplete",
  "vod_in_danger",
  "vod_lost",
  "files_trashed",
  "channel_trouble",
  "file_damaged",
  "orphaned_files_found",
  "budget_warning",
  "budget_exceeded",
  "service_unhealthy",
  "disk_space_low",
  "backup_failed",
  "consent_changed",
  "administrator_changed",
  "user_banned",
] as const;
export const eventTypeSchema = z.enum(EVENT_TYPES);
export type EventType = z.infer<typeof eventTypeSchema>;
