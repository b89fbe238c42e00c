import * as calls from "#contract/backups.ts";
import { ApiError } from "#service/api-error.ts";
import { auditEntry } from "#service/changes/audit-entry.ts";
import type { ServiceContext } from "#service/context.ts";
import { actorOf, route, type Route } from "#service/http/route.ts";
import { readBackupState } from "./backup-state.ts";
import type { BackupTask } from "./backups.ts";

export function backupRoutes(context: ServiceContext, backups: BackupTask): Route[] {
  const { database, clock, snapshots } = context.platform;
  return [
    route(calls.readBackups, () => readBackupState(context, backups.isRunning())),

    route(calls.backUpNow, async ({ context: request }) => {
      if (snapshots === undefined)
        throw new ApiError("conflict", "D1 keeps the history of this database itself.");
      const isStarted = backups.request();
      if (isStarted)
        await database.run(
          auditEntry({ ...actorOf(request), atMs: clock.now(), action: "backup.start" }),
        );
      return { isStarted };
    }),
  ];
}
