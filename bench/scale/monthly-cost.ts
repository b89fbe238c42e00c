import { mapUsage, NO_USAGE, sumUsage, type Usage } from "#service/costs/usage.ts";
import { priceMonth, totalCost, type CostLines } from "#service/costs/price-usage.ts";
import { ARCHIVE, PLAY_USAGE, ROW_BYTES } from "./archive-model.ts";
import { databaseBytesOf, storedArchives, storedBytes, type Workload } from "./workloads.ts";

const MONTH_DAYS = 30;
const DAY_SEC = 86_400;

/** The scheduler object beats every two seconds: a request and a written row each. */
const BEATS = (MONTH_DAYS * DAY_SEC) / 2;

/** The sweeper's own: a question for due work every three seconds, of the rows that are open. */
const SWEEPS = (MONTH_DAYS * DAY_SEC) / 3;

/** Each stored archive is four objects; 1,000 are listed at a time, 48 times a day. */
const OBJECTS_PER_ARCHIVE = 4;
const LISTED_AT_A_TIME = 1_000;
const SCANS_PER_DAY = 48;

export type MonthlyCost = CostLines & { readonly total: number };

/** A month at that rate, everything that is kept being there, each archive played once. */
export function monthlyCost(workload: Workload, open: number): MonthlyCost {
  const lines = priceMonth(monthlyUsage(workload, open), { dayCount: MONTH_DAYS }, MONTH_DAYS);
  return { ...lines, total: totalCost(lines) };
}

function monthlyUsage(workload: Workload, open: number): Usage {
  const archives = workload.archivesPerDay * MONTH_DAYS;
  const kept = storedArchives(workload);
  return sumUsage(
    sumUsage(times(ARCHIVE.usage, archives), times(PLAY_USAGE, archives)),
    sumUsage(NO_USAGE, {
      ...NO_USAGE,
      durableObjectRequests: BEATS,
      rowsWritten: BEATS,
      rowsRead: SWEEPS * open,
      classAOperations:
        Math.ceil((kept * OBJECTS_PER_ARCHIVE) / LISTED_AT_A_TIME) * SCANS_PER_DAY * MONTH_DAYS,
      // Levels are billed by the sum of the days' peaks.
      storedBytesPeak: storedBytes(workload) * MONTH_DAYS,
      databaseBytesPeak: databaseBytesOf(workload, kept, ROW_BYTES) * MONTH_DAYS,
    }),
  );
}

function times(usage: Usage, factor: number): Usage {
  return mapUsage((meter) => usage[meter] * factor);
}
