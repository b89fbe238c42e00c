import { examineSystem } from "#contract/examination.ts";
import { auditEntry } from "#service/changes/audit-entry.ts";
import type { ServiceContext } from "#service/context.ts";
import { actorOf, route, type Route } from "#service/http/route.ts";
import type { Doctor } from "./doctor.ts";

export function doctorRoutes({ platform }: ServiceContext, doctor: Doctor): Route[] {
  return [
    route(examineSystem, async ({ context: request }) => {
      const examination = await doctor.examine();
      const { canArchive, findings } = examination;
      const problems = findings.filter(({ result }) => result === "problem");
      await platform.database.run(
        auditEntry({
          ...actorOf(request),
          atMs: platform.clock.now(),
          action: "system.examine",
          after: { canArchive, problems: problems.map(({ topic }) => topic) },
        }),
      );
      return examination;
    }),
  ];
}
