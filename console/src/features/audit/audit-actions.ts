/** What can be looked for by its kind; the service may record kinds that are not listed here. */
const ACTION_LABELS: Readonly<Record<string, string>> = {
  "access.refuse": "Access refused",
  "audit.export": "Audit log exported",
  "cache.clear": "Cache cleared",
  "cost.acknowledge": "Cost alert acknowledged",
  "cost.alert": "Cost alert raised",
  "cost.budget": "Budget changed",
  "cost.threshold": "Threshold changed",
  "database.seed": "Database seeded",
  "file.damage": "File found damaged",
  "file.delete": "File deleted",
  "file.download": "File downloaded",
  "file.forget": "Missing file forgotten",
  "file.missing": "File found missing",
  "file.orphan": "Orphaned file found",
  "notification.preferences": "Notification preferences changed",
  "notification.read": "Notifications read",
  "session.end": "Signed out",
  "session.open": "Signed in",
  "session.revoke": "Session revoked",
  "upload.cancel": "Upload cancelled",
  "upload.complete": "Upload completed",
  "upload.delete": "Upload deleted",
  "upload.fail": "Upload failed",
  "upload.retry": "Upload retried",
  "upload.stall": "Upload stalled",
  "upload.start": "Upload started",
  "user.ban": "User banned",
  "user.permissions": "Permissions changed",
  "user.unban": "User unbanned",
  "view.delete": "Saved view deleted",
  "view.save": "View saved",
  "workers.restart": "Workers restarted",
};

export function actionLabel(action: string): string {
  return ACTION_LABELS[action] ?? action;
}

/** All actions and those that are known, plus the one that the address asks for. */
export function actionOptions(chosen: string | undefined) {
  const known = Object.keys(ACTION_LABELS);
  const actions = chosen === undefined || known.includes(chosen) ? known : [...known, chosen];
  return [
    { value: "all", label: "All Actions" },
    ...actions.map((action) => ({ value: action, label: actionLabel(action) })),
  ];
}
