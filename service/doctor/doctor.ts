import { type Examination, examineSystem } from "#contract/examination.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { type Deployment, LISTED_PREFIX } from "./deployment-checks.ts";
import { examine } from "./examine.ts";
import { readFingerprint, saveFingerprint } from "./fingerprint-store.ts";
import { auditEntry } from "#service/changes/audit-entry.ts";
import { actorOf, route, type Route } from "#service/http/route.ts";

export type Doctor = {
  /** Within a minute. Concurrent calls share one examination. */
  examine(): Promise<Examination>;
};

/** Examines the running service. It writes nothing but what Twitch answered. */
export function createDoctor(context: ServiceContext): Doctor {
  const { database } = context.platform;
  let running: Promise<Examination> | null = null;

  async function run(): Promise<Examination> {
    const earlier = await readFingerprint(database);
    const deployment = describeDeployment(context);
    const { examination, fingerprint } = await examine(context, deployment, earlier, null);
    await database.run(saveFingerprint(fingerprint));
    return examination;
  }

  return {
    examine() {
      running ??= run().finally(() => {
        running = null;
      });
      return running;
    },
  };
}

function describeDeployment({ platform, settings }: ServiceContext): Deployment {
  const { database, objects, runtime, fetch, mail } = platform;
  return {
    settings,
    runtime,
    fetch,
    mail,
    async readDatabase() {
      await database.all(sql`SELECT id FROM users LIMIT 1`);
      return "";
    },
    async readStore() {
      await objects.list({ prefix: LISTED_PREFIX });
      return "lists its objects";
    },
  };
}

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
