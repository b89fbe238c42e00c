/** Path of each screen, by the name of its module in `routes/`. */
export const ROUTE_PATHS = {
  dashboard: "/",
  uploads: "/uploads",
  "failed-uploads": "/uploads/failed",
  files: "/files",
  users: "/users",
  notifications: "/notifications",
  system: "/system",
  audit: "/audit",
} as const;
