import process from "node:process";
import { readCommandLine, readWholeNumber } from "../../scripts/command-line.ts";
import { runFuzzRig } from "./fuzz-rig.ts";

const USAGE = "npm run rig:fuzz -- [--requests N] [--seed N]";

const values = readCommandLine(USAGE, {
  requests: { type: "string", default: "200000" },
  seed: { type: "string", default: String(Date.now() % 1_000_000) },
});
const order = {
  requests: readWholeNumber(USAGE, "requests", values.requests),
  seed: readWholeNumber(USAGE, "seed", values.seed),
};
console.log(`Seed ${order.seed}`);
const startedMs = performance.now();
const result = await runFuzzRig({
  ...order,
  report: (line) => console.log(line),
});
const seconds = (performance.now() - startedMs) / 1_000;
const statuses = [...result.statuses]
  .toSorted(([left], [right]) => left - right)
  .map(([status, count]) => `${status}: ${count}`);
console.log(`${result.requests} requests in ${seconds.toFixed(1)} s; ${statuses.join(", ")}`);
for (const fault of result.faults) console.log(`- ${fault}`);
process.exit(result.faults.length === 0 ? 0 : 1);
