import process from "node:process";
import { parseArgs } from "node:util";
import { runFuzzRig } from "./fuzz-rig.ts";

/** npm run rig:fuzz -- --requests 200000 --seed 7 */
const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "200000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
console.log(`Seed ${values.seed}`);
const startedMs = performance.now();
const result = await runFuzzRig({
  requests: Number(values.requests),
  seed: Number(values.seed),
  report: (line) => console.log(line),
});
const seconds = (performance.now() - startedMs) / 1_000;
const statuses = [...result.statuses]
  .toSorted(([left], [right]) => left - right)
  .map(([status, count]) => `${status}: ${count}`);
console.log(`${result.requests} requests in ${seconds.toFixed(1)} s; ${statuses.join(", ")}`);
for (const fault of result.faults) console.log(`- ${fault}`);
process.exit(result.faults.length === 0 ? 0 : 1);
