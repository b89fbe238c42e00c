import process from "node:process";

/**
 * npm run bench -- archive          Vodkeep beside other archivers
 * npm run bench -- lists            list and search calls over seeded tables
 * npm run bench -- backup           calls during a backup of a million uploads, and its restore
 * npm run bench -- console          the built console in a browser: speed, a day's memory
 * npm run bench -- live             live updates to a thousand open streams
 */
const [name = "", ...args] = process.argv.slice(2);
const benches: Readonly<
  Record<string, () => Promise<{ run(args: readonly string[]): Promise<void> }>>
> = {
  archive: () => import("./archive/report.ts"),
  lists: () => import("./lists/lists.ts"),
  backup: () => import("./backup/backup.ts"),
  console: () => import("./console/console.ts"),
  live: () => import("./live/live.ts"),
};
const load = benches[name];
if (load === undefined) {
  console.error(`Which bench? One of: ${Object.keys(benches).join(", ")}`);
  process.exit(1);
}
const bench = await load();
await bench.run(args);
