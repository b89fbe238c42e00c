import type { UsageLine } from "#contract/costs.ts";
import type { BillingPeriod } from "./billing-period.ts";
import { GIGABYTE, TARIFFS, type Tariff } from "./price-table.ts";
import { gigabyteMonths, price, roundUsd } from "./price-usage.ts";
import type { Usage } from "./usage.ts";

/** Usage of each meter so far, next to what the plan includes. */
export function usageLines(usage: Usage, period: Pick<BillingPeriod, "dayCount">): UsageLine[] {
  const storage = (byteDays: number) => gigabyteMonths(byteDays, period);
  return [
    line("Workers", "Requests", "requests", usage.workerRequests, TARIFFS.workerRequests),
    line("Workers", "CPU time", "ms", usage.workerCpuMs, TARIFFS.workerCpuMs),
    line(
      "Workers",
      "Live hub requests",
      "requests",
      usage.durableObjectRequests,
      TARIFFS.durableObjectRequests,
    ),
    line("R2", "Storage", "GB-months", storage(usage.storedBytesPeak), TARIFFS.storedGbMonths),
    line(
      "R2",
      "Class A operations",
      "operations",
      usage.classAOperations,
      TARIFFS.classAOperations,
    ),
    line(
      "R2",
      "Class B operations",
      "operations",
      usage.classBOperations,
      TARIFFS.classBOperations,
    ),
    line("R2", "Downloads", "GB", usage.egressBytes / GIGABYTE, TARIFFS.egressGigabytes),
    line("D1", "Rows read", "rows", usage.rowsRead, TARIFFS.rowsRead),
    line("D1", "Rows written", "rows", usage.rowsWritten, TARIFFS.rowsWritten),
    line("D1", "Storage", "GB-months", storage(usage.databaseBytesPeak), TARIFFS.databaseGbMonths),
    line("KV", "Reads", "operations", usage.kvReads, TARIFFS.kvReads),
    line("KV", "Writes", "operations", usage.kvWrites, TARIFFS.kvWrites),
    line("KV", "Deletes", "operations", usage.kvDeletes, TARIFFS.kvDeletes),
    line("KV", "Lists", "operations", usage.kvLists, TARIFFS.kvLists),
    line("Queues", "Operations", "operations", usage.queueOperations, TARIFFS.queueOperations),
  ];
}

function line(
  product: UsageLine["product"],
  name: string,
  unit: string,
  used: number,
  tariff: Tariff,
): UsageLine {
  return {
    product,
    name,
    unit,
    used,
    included: tariff.includedUnits * tariff.unit,
    costUsd: roundUsd(price(used, tariff)),
  };
}
