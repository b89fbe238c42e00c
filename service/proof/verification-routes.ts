import * as calls from "#contract/verification.ts";
import { priceReading } from "#service/costs/read-price.ts";
import { roundUsd } from "#service/costs/cost-lines.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { actorOf, route, type Route } from "#service/http/route.ts";
import { REQUESTED_FILES, requestEverything, requestVerification } from "./verification-request.ts";

/** 365 days in twelve months. */
const DAYS_A_MONTH = 365 / 12;

export function verificationRoutes(context: ServiceContext): Route[] {
  return [
    route(calls.readVerification, () => readVerification(context)),

    route(calls.verifyEverything, async ({ context: request }) => ({
      files: await requestEverything(context, actorOf(request)),
    })),

    route(calls.verifyFile, async ({ body, context: request }) => ({
      isAsked: await requestVerification(context, body.key, actorOf(request)),
    })),
  ];
}

async function readVerification({
  platform,
  settings,
}: ServiceContext): Promise<calls.Verification> {
  const [row] = await platform.database.all(sql`
    SELECT (SELECT value FROM counters WHERE name = 'files.bytes') AS stored,
      (SELECT min(verified_at) FROM files) AS oldest, count(*) AS filesLeft,
      coalesce(sum(size_bytes), 0) AS bytesLeft
    FROM ${REQUESTED_FILES}`);
  const storedBytes = Number(row?.stored ?? 0);
  const { SCRUB_DAYS: cycleDays, OBJECT_STORE: store } = settings;
  const bytesPerMonth = cycleDays === 0 ? 0 : Math.round((storedBytes / cycleDays) * DAYS_A_MONTH);
  const cost = (sizeBytes: number) =>
    roundUsd(
      priceReading(store, { sizeBytes, reads: sizeBytes / platform.runtime.smallestPartBytes }),
    );
  const oldestMs = Number(row?.oldest ?? 0);
  return {
    cycleDays,
    bytesPerMonth,
    usdPerMonth: cost(bytesPerMonth),
    usdOnce: cost(storedBytes),
    filesLeft: Number(row?.filesLeft ?? 0),
    bytesLeft: Number(row?.bytesLeft ?? 0),
    oldestVerifiedAt: oldestMs === 0 ? null : new Date(oldestMs).toISOString(),
  };
}
