import { PERMISSIONS, type Permission } from "#contract/permissions.ts";

export const PERMISSION_WORDS: Readonly<
  Record<Permission, { readonly label: string; readonly description: string }>
> = {
  "read:uploads": { label: "Read Uploads", description: "View upload logs and status" },
  "write:uploads": { label: "Write Uploads", description: "Retry, cancel, modify uploads" },
  "delete:uploads": {
    label: "Delete Uploads",
    description: "Permanently delete upload records and stored files",
  },
  "read:users": { label: "Read Users", description: "View accounts" },
  "write:users": { label: "Write Users", description: "Ban, unban, modify accounts" },
  "read:system": { label: "Read System", description: "View metrics and logs" },
  "write:system": {
    label: "Write System",
    description: "Clear cache, restart services, manage system",
  },
};

export type Preset = {
  readonly label: string;
  readonly permissions: readonly Permission[];
};

export const PRESETS: readonly Preset[] = [
  { label: "None", permissions: [] },
  { label: "Viewer", permissions: ["read:uploads", "read:users", "read:system"] },
  {
    label: "Operator",
    permissions: ["read:uploads", "write:uploads", "read:users", "read:system"],
  },
  { label: "Full access", permissions: PERMISSIONS },
];
