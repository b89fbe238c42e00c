import { describeCache } from "#hosts/conformance/cache-suite.ts";
import { openTableCache } from "./cache.ts";
import { openSqliteDatabase } from "./database.ts";
import { createManualClock } from "./testing/manual-clock.ts";

describeCache("A table", async () => {
  const database = openSqliteDatabase(":memory:");
  const clock = createManualClock(1_760_000_000_000);
  const cache = await openTableCache(database, clock);
  return { cache, pass: (ms) => clock.pass(ms), close: () => database.close() };
});
