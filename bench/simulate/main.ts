import process from "node:process";
import { readCommandLine, readWholeNumber } from "../../scripts/command-line.ts";
import { simulate } from "./simulation.ts";

const USAGE = "npm run rig:simulate -- [--seeds N] [--seed N] [--stop] [--trace]";

const values = readCommandLine(USAGE, {
  seeds: { type: "string", default: "1" },
  seed: { type: "string", default: String(Date.now() % 1_000_000) },
  stop: { type: "boolean", default: false },
  trace: { type: "boolean", default: false },
});
const first = readWholeNumber(USAGE, "seed", values.seed);
const count = readWholeNumber(USAGE, "seeds", values.seeds);
const startedMs = performance.now();
const totals: Record<string, number> = {};
let failures = 0;
let steps = 0;
for (let seed = first; seed < first + count; seed += 1) {
  const result = await simulate(seed, values.trace ? (line) => console.log(line) : undefined);
  steps += result.steps;
  for (const [name, number] of Object.entries(result.uploads))
    totals[name] = (totals[name] ?? 0) + number;
  if (count === 1)
    console.log(
      `trace ${result.traceHash}, ${Math.round(result.virtualMs / 1_000)} virtual seconds`,
    );
  if (result.broken === null) continue;
  failures += 1;
  if (!values.trace) console.log(result.lastLines.join("\n"));
  console.log(`Seed ${seed}: ${result.broken.message}`);
  console.log(`Run it again: npm run rig:simulate -- --seed ${seed}\n`);
  if (values.stop) break;
}
const seconds = (performance.now() - startedMs) / 1_000;
console.log(JSON.stringify(totals));
console.log(
  `${count} seeds from ${first} in ${seconds.toFixed(1)} s, ${(count / seconds).toFixed(1)} a second, ${Math.round(steps / count)} steps each; ${failures} failed`,
);
process.exit(failures === 0 ? 0 : 1);
