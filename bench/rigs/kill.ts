import process from "node:process";
import { readCommandLine, readWholeNumber, refuse } from "../../scripts/command-line.ts";
import { runKillRig } from "./kill-rig.ts";
import { killableNodeHost } from "./killable-node.ts";
import { killableWorker } from "./killable-worker.ts";
import { powerCutNode } from "./power-cut-node.ts";

const USAGE = "npm run rig:kill -- [--host node|node-power|cloudflare] [--kills N] [--seed N]";

const HOSTS: ReadonlyMap<string, typeof killableNodeHost> = new Map([
  ["node", killableNodeHost],
  ["node-power", powerCutNode],
  ["cloudflare", killableWorker],
]);

const values = readCommandLine(USAGE, {
  host: { type: "string", default: "node" },
  kills: { type: "string", default: "200" },
  seed: { type: "string", default: String(Date.now() % 1_000_000) },
});
const openHost =
  HOSTS.get(values.host) ?? refuse(USAGE, "--host must be node, node-power or cloudflare.");
const order = {
  openHost,
  kills: readWholeNumber(USAGE, "kills", values.kills),
  seed: readWholeNumber(USAGE, "seed", values.seed),
};
console.log(`Seed ${order.seed}`);
const result = await runKillRig({
  ...order,
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
