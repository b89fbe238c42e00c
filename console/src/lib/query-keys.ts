import type { ObjectKey } from "#contract/files.ts";
import type { UploadId, UserId } from "#contract/ids.ts";

/** Keys of the query cache by feature; invalidating one also invalidates those that begin with it. */

export const uploadKeys = {
  all: ["uploads"],
  lists: ["uploads", "list"],
  list: (view: object) => ["uploads", "list", view],
  one: (id: UploadId) => ["uploads", "one", id],
  failed: (view: object) => ["uploads", "failed", view],
  recent: ["uploads", "recent"],
  found: (text: string) => ["uploads", "found", text],
} as const;

export const fileKeys = {
  all: ["files"],
  lists: ["files", "list"],
  list: (view: object) => ["files", "list", view],
  stats: ["files", "stats"],
  /** Not below `all`: a deletion refetches neither. */
  owners: ["file-owners"],
  one: (key: ObjectKey | null | undefined) => ["file", key],
} as const;

export const userKeys = {
  all: ["users"],
  list: (view: object) => ["users", "list", view],
  one: (id: UserId) => ["users", "one", id],
  found: (text: string) => ["users", "found", text],
} as const;

export const dashboardKeys = {
  all: ["dashboard"],
  stats: ["dashboard", "stats"],
  history: ["dashboard", "history"],
} as const;

export const notificationKeys = {
  inbox: ["notifications", "inbox"],
  preferences: ["notifications", "preferences"],
  config: ["notifications", "config"],
  log: ["notifications", "log"],
  logPage: (page: number) => ["notifications", "log", page],
} as const;

export const systemKeys = {
  metrics: ["system", "metrics"],
  performance: ["system", "performance"],
  history: (range: string) => ["system", "history", range],
  logs: (level: string, search: string) => ["system", "logs", level, search],
} as const;

export const auditKeys = {
  list: (view: object) => ["audit", "list", view],
  lastRun: (action: string) => ["audit", "last", action],
} as const;

export const costKeys = {
  all: ["costs"],
  breakdown: ["costs", "breakdown"],
  budgets: ["costs", "budgets"],
  alerts: ["costs", "alerts"],
  thresholds: ["costs", "thresholds"],
  trend: ["costs", "trend"],
} as const;

export const watchKeys = {
  chat: (name: string) => ["chat", name],
  storyboard: (id: UploadId) => ["storyboard", id],
  proof: (key: ObjectKey | undefined) => ["file-proof", key],
} as const;
