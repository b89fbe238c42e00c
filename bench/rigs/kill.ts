import process from "node:process";
import { parseArgs } from "node:util";
import { runKillRig } from "./kill-rig.ts";
import { killableNodeHost } from "./killable-node.ts";
import { killableWorker } from "./killable-worker.ts";

/** npm run rig:kill -- --host cloudflare --kills 200 --seed 7 --minutes 30 */
const { values } = parseArgs({
  options: {
    host: { type: "string", default: "node" },
    kills: { type: "string", default: "200" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    minutes: { type: "string", default: "60" },
  },
});
console.log(`Seed ${values.seed}`);
const result = await runKillRig({
  openHost: values.host === "cloudflare" ? killableWorker : killableNodeHost,
  kills: Number(values.kills),
  seed: Number(values.seed),
  killingForMs: Number(values.minutes) * 60_000,
  report: (line) => console.log(line),
});
console.log(
  `${result.kills} kills over ${result.archives} archives of ${megabytes(result.sourceBytes)} MB in all ` +
    `and ${result.manualUploads} manual uploads, cut ${result.interruptions} times: ` +
    `at most ${megabytes(result.mostRefetchedBytes)} MB of one archive fetched again after a kill, ` +
    `slowest resume ${Math.round(result.slowestResumeMs)} ms, ${result.faults.length} faults.`,
);
for (const fault of result.faults) console.log(`- ${fault}`);
process.exit(result.faults.length === 0 ? 0 : 1);

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
