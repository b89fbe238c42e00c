import * as z from "zod/mini";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";
import type { Platform } from "#service/platform.ts";
import { DAY_MS, dayOf, daysUpTo } from "./billing-period.ts";
import {
  CLOUDFLARE_GRAPHQL_URL,
  fetchCloudflareUsage,
  type CloudflareAccount,
} from "./cloudflare-usage.ts";
import { setReconciledUsage } from "./usage-ledger.ts";

/** Cloudflare keeps R2's and KV's figures for 31 days. */
const DAYS_BACK = 30;

/** Sampled figures change for a while, so the last days are read again. */
const DAYS_READ_AGAIN = 3;

/** The account to reconcile with; null if the settings have none. */
export function cloudflareAccount(
  settings: ServiceContext["settings"],
  graphqlUrl: string = CLOUDFLARE_GRAPHQL_URL,
): CloudflareAccount | null {
  const { CLOUDFLARE_ACCOUNT_ID: accountId, CLOUDFLARE_API_TOKEN: apiToken } = settings;
  if (accountId === undefined || apiToken === undefined) return null;
  return { accountId, apiToken, graphqlUrl };
}

/**
 * Once a day, stores the account's real usage next to our own metering of the days that have ended;
 * those days are then priced by it. Idempotent and cheap to call often.
 *
 * @returns the number of days written.
 */
export async function reconcileUsage(
  { platform }: { readonly platform: Pick<Platform, "database" | "clock" | "fetch"> },
  account: CloudflareAccount,
): Promise<number> {
  const { database, clock } = platform;
  const nowMs = clock.now();
  const days = await daysToReconcile(database, nowMs);
  const [firstDay] = days;
  const lastDay = days.at(-1);
  if (firstDay === undefined || lastDay === undefined) return 0;
  const reported = await fetchCloudflareUsage(platform.fetch, account, firstDay, lastDay);
  const known = days.filter((day) => reported.has(day));
  if (known.length > 0) {
    await database.batch(
      known.map((day) => setReconciledUsage(day, reported.get(day) ?? {}, nowMs)),
    );
  }
  return known.length;
}

const stateSchema = z.object({ day: z.string(), reconciled_at: z.nullable(z.number()) });

/** Ended metered days that are not reconciled yet, and the last few again; none twice a day. */
async function daysToReconcile(database: Database, nowMs: number): Promise<string[]> {
  const yesterday = dayOf(nowMs - DAY_MS);
  const ended = daysUpTo(yesterday, DAYS_BACK);
  const rows = await database.all(sql`
    SELECT m.day, r.updated_at AS reconciled_at
    FROM usage_days m LEFT JOIN usage_days r ON r.day = m.day AND r.source = 'reconciled'
    WHERE m.source = 'metered' AND m.day >= ${ended[0] ?? yesterday} AND m.day <= ${yesterday}
    ORDER BY m.day`);
  const states = rows.map((row) => stateSchema.parse(row));
  const readAgainFrom = ended.at(-DAYS_READ_AGAIN) ?? yesterday;
  return states
    .filter(
      ({ day, reconciled_at: at }) =>
        at === null || (day >= readAgainFrom && dayOf(at) < dayOf(nowMs)),
    )
    .map(({ day }) => day);
}
