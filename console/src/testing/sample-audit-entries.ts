import { auditEntrySchema } from "#contract/audit.ts";
import { build } from "#contract/testing/build.ts";
import { ago } from "./ago.ts";
import { FILE_KEY, WATCHED } from "./sample-uploads.ts";

const ENTRY = build(auditEntrySchema, {
  actor: { userId: "1001", login: "avery", displayName: "Avery Admin" },
  count: 1,
});
export const ENTRIES = [
  { ...ENTRY, id: "6", at: ago(1), action: "workers.restart" },
  {
    ...ENTRY,
    id: "5",
    at: ago(2),
    token: { id: "0123456789abcdef", name: "nightly-retry" },
    action: "upload.retry",
    target: "failed-for-now",
    targetName: "Sunrise approach",
  },
  { ...ENTRY, id: "4", at: ago(9), action: "file.download", target: FILE_KEY },
  {
    ...ENTRY,
    id: "3",
    at: ago(70),
    actor: null,
    action: "access.refuse",
    target: "GET /admin/users",
    result: "refused" as const,
    count: 1_200,
    lastAt: ago(30),
  },
  {
    ...ENTRY,
    id: "2",
    at: ago(3_000),
    action: "user.ban",
    target: "user3",
    reason: "Uploaded what was not theirs.",
  },
  { ...ENTRY, id: "1", at: ago(4_000), actor: null, action: "upload.complete", target: WATCHED },
];
