import * as calls from "#contract/backups.ts";
import { ApiError } from "#service/api-error.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { ServiceContext } from "#service/context.ts";
import { actorOf, route, type Route } from "#service/http/route.ts";
import { requestBackup } from "./backup-jobs.ts";
import { readBackupState } from "./backup-state.ts";

export function backupRoutes(context: ServiceContext): Route[] {
  const { database, clock, snapshots } = context.platform;
  return [
    route(calls.readBackups, () => readBackupState(context)),

    route(calls.backUpNow, async ({ context: request }) => {
      if (snapshots === undefined)
        throw new ApiError("conflict", "D1 keeps the history of this database itself.");
      const nowMs = clock.now();
      const audit = { ...actorOf(request), action: "backup.start" } as const;
      const [requested] = await database.batch(
        recordedChange(requestBackup(nowMs), nowMs, { audit }),
      );
      return { isStarted: requested?.changes === 1 };
    }),
  ];
}
