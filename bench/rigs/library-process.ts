import files from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import process from "node:process";
import { withDataFolder } from "#program/with-data-folder.ts";
import { runDue } from "#service/jobs/job-runner.ts";
import { plan, releaseJobs, SOLE } from "#service/jobs/jobs.ts";
import { libraryJob } from "#service/library/library-sweep.ts";

/** Brings LIBRARY_DIR up to date once, and kills itself before that change of a file. */
const [, , step = "Infinity"] = process.argv;
let steps = 0;
let isWorking = false;
for (const name of ["chmod", "link", "mkdir", "rename", "rm", "rmdir", "open"] as const) {
  const perform: (...args: never[]) => Promise<unknown> = files[name];
  Object.assign(files, {
    [name](...args: never[]) {
      if (isWorking && (steps += 1) === Number(step)) process.kill(process.pid, "SIGKILL");
      return perform(...args);
    },
  });
}
syncBuiltinESMExports();
process.stdout.write('{"ready":true}\n');
await withDataFolder(async (deployment) => {
  await deployment.platform.database.batch([releaseJobs(), plan("library", SOLE, 0)]);
  isWorking = true;
  await runDue(deployment, "library", libraryJob(deployment), 1);
  isWorking = false;
});
