import process from "node:process";
import { readCommandLine, readWholeNumber } from "../../scripts/command-line.ts";
import { simulateMonth } from "./month.ts";

const USAGE =
  "npm run rig:channels -- [--seed N] [--channels N] [--days N] [--percent N] [--trace]";

const values = readCommandLine(USAGE, {
  seed: { type: "string", default: String(Date.now() % 1_000_000) },
  channels: { type: "string", default: "2000" },
  days: { type: "string", default: "30" },
  /** Of the bandwidth that all VODs need on average. */
  percent: { type: "string", default: "500" },
  trace: { type: "boolean", default: false },
});
const number = (name: "seed" | "channels" | "days" | "percent"): number =>
  readWholeNumber(USAGE, name, values[name]);
const startedMs = performance.now();
const { numbers, problems, seed, steps, traceHash } = await simulateMonth(
  {
    seed: number("seed"),
    channels: number("channels"),
    days: number("days"),
    bandwidth: number("percent") / 100,
  },
  values.trace ? (line) => console.log(line) : undefined,
);
for (const problem of problems.slice(0, 50)) console.log(problem);
console.log(JSON.stringify(numbers));
console.log(
  `seed ${seed}: ${problems.length} problems, ${steps} steps, trace ${traceHash}, ${Math.round((performance.now() - startedMs) / 1_000)} s`,
);
process.exit(problems.length === 0 ? 0 : 1);
