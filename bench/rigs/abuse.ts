import process from "node:process";
import { readCommandLine, readWholeNumber, refuse } from "../../scripts/command-line.ts";
import { flood } from "./abuse-flood.ts";
import { fullDisk } from "./abuse-full-disk.ts";
import type { AbuseScenario } from "./abuse-scenario.ts";

const SCENARIOS: ReadonlyMap<string, AbuseScenario> = new Map([
  ["flood", flood],
  ["full-disk", fullDisk],
]);

const USAGE = `npm run rig:abuse -- [--scenario ${[...SCENARIOS.keys()].join("|")}] [--requests N]`;

const values = readCommandLine(USAGE, {
  scenario: { type: "string" },
  requests: { type: "string", default: "100000" },
});
const requests = readWholeNumber(USAGE, "requests", values.requests);
const chosen = [...SCENARIOS].filter(
  ([name]) => values.scenario === undefined || name === values.scenario,
);
if (chosen.length === 0) refuse(USAGE, `There is no scenario ${values.scenario}.`);
for (const [name, run] of chosen) {
  const { summary, faults } = await run({ requests, report: (line) => console.log(line) });
  console.log(`${name}: ${summary} ${faults.length} faults.`);
  for (const fault of faults) console.log(`- ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}
