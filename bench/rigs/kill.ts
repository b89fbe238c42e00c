import process from "node:process";
import { parseArgs } from "node:util";
import { runKillRig } from "./kill-rig.ts";

/** npm run rig:kill -- --kills 200 --seed 7 --minutes 30 */
const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "200" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    minutes: { type: "string", default: "60" },
  },
});
console.log(`Seed ${values.seed}`);
const result = await runKillRig({
  kills: Number(values.kills),
  seed: Number(values.seed),
  killingForMs: Number(values.minutes) * 60_000,
  report: (line) => console.log(line),
});
console.log(
  `${result.kills} kills over ${result.archives} archives of ${megabytes(result.sourceBytes)} MB in all: ` +
    `${megabytes(result.extraBytesPerKill)} MB fetched again per kill, ` +
    `slowest resume ${Math.round(result.slowestResumeMs)} ms, ${result.faults.length} faults.`,
);
for (const fault of result.faults) console.log(`- ${fault}`);
process.exit(result.faults.length === 0 ? 0 : 1);

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
