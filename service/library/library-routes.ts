import * as z from "zod/mini";
import { type Library, readLibrary, rebuildLibrary } from "#contract/library.ts";
import { ApiError } from "#service/api-error.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { ServiceContext } from "#service/context.ts";
import { instantColumn } from "#service/db/columns.ts";
import { sql } from "#service/db/sql.ts";
import { actorOf, route, type Route } from "#service/http/route.ts";
import { hasten, SOLE } from "#service/jobs/jobs.ts";
import type { Database } from "#service/ports/database.ts";
import { StoreError } from "#service/ports/object-store.ts";
import { readDeployment } from "#service/store/deployment.ts";
import { countVideos, forgetMade } from "./library-items.ts";

const SHOWN_PROBLEMS = 5;

export function libraryRoutes({ platform }: ServiceContext): Route[] {
  const { database, clock, library } = platform;
  return [
    route(readLibrary, async () => ({
      library: library === undefined ? null : await describe(database, library.path),
    })),

    route(rebuildLibrary, async ({ context: request }) => {
      if (library === undefined)
        throw new ApiError("conflict", "There is no library folder: LIBRARY_DIR is not set.");
      try {
        await library.open((await readDeployment(platform)).id, true);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        throw new ApiError("conflict", error.message, { cause: error });
      }
      const nowMs = clock.now();
      await database.batch([
        ...recordedChange(forgetMade, nowMs, {
          audit: { ...actorOf(request), action: "library.rebuild", target: library.path },
        }),
        hasten("library", SOLE, nowMs),
      ]);
      return {};
    }),
  ];
}

const failureRow = z.object({ sinceAt: instantColumn, text: z.string() });
const problemRow = z.object({ path: z.string(), text: z.string() });

async function describe(database: Database, folder: string): Promise<Library> {
  const counts = await countVideos(database);
  const problems = await database.all(sql`SELECT path, problem AS text FROM library_items
    WHERE problem IS NOT NULL ORDER BY path LIMIT ${SHOWN_PROBLEMS}`);
  const [failure] =
    await database.all(sql`SELECT failing_since_at AS sinceAt, error AS text FROM jobs
    WHERE kind = 'library' AND key = ${SOLE} AND error IS NOT NULL`);
  return {
    folder,
    stored: counts.stored,
    listed: counts.listed,
    withoutConsent: counts.without_consent,
    withoutDate: counts.without_date,
    problems: problems.map((row) => problemRow.parse(row)),
    failure: failure === undefined ? null : failureRow.parse(failure),
  };
}
