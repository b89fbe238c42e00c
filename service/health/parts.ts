/** Every part that is probed, and what the administrators should know about the last days. */
export const COMPONENTS = [
  "r2Storage",
  "d1Database",
  "workers",
  "vodResumeQueue",
  "disk",
  "twitch",
  "capacity",
  "uploads",
  "notifications",
  "refusals",
  "backups",
  "clock",
] as const;
export type Component = (typeof COMPONENTS)[number];

type Part = {
  /** For sentences. */
  readonly name: string;
  /** For metrics: the API names parts after Cloudflare's products, which do not fit other hosts. */
  readonly label: string;
  /** Nothing works without it, so an unknown status is a problem too. */
  readonly isEssential?: boolean;
};

export const PARTS: Readonly<Record<Component, Part>> = {
  r2Storage: { name: "object storage", label: "object_store", isEssential: true },
  d1Database: { name: "database", label: "database", isEssential: true },
  workers: { name: "archive workers", label: "workers", isEssential: true },
  vodResumeQueue: { name: "VOD Resume Queue", label: "queue" },
  disk: { name: "disk", label: "disk" },
  twitch: { name: "Twitch", label: "twitch" },
  capacity: { name: "storage capacity", label: "capacity" },
  uploads: { name: "uploads", label: "uploads" },
  notifications: { name: "notifications", label: "notifications" },
  refusals: { name: "stored objects", label: "stored_objects" },
  backups: { name: "backups", label: "backups" },
  clock: { name: "clock", label: "clock" },
};
