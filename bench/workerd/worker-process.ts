import { readFileSync } from "node:fs";
import process from "node:process";
import { convertV4MiniflareOptions, Miniflare, type V4MiniflareOptions } from "miniflare";

/** The built Worker in workerd, as a killable process: `worker-process.ts options.json`. */
const options: V4MiniflareOptions = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const worker = new Miniflare(convertV4MiniflareOptions(options));
process.on("SIGTERM", () => void worker.dispose().then(() => process.exit(0)));
const { origin } = await worker.ready;
console.log(JSON.stringify({ ready: true, url: origin }));
