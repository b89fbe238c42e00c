import process from "node:process";
import { auditEntry } from "#service/changes/audit-entry.ts";
import { endOf } from "#program/command-end.ts";
import { withDataFolder } from "#program/with-data-folder.ts";
import { readCommandLine, readWholeNumber } from "./command-line.ts";
import { seedRows } from "./seed-rows.ts";

/**
 * npm run seed -- --uploads 100000 --users 2000 --files 100000
 *
 * Fills DATA_DIR with generated rows for trying out the console and for measuring. The files have
 * no objects. Running it again adds missing rows.
 */
const USAGE = "npm run seed -- [--uploads N] [--users N] [--files N]";

const values = readCommandLine(USAGE, {
  uploads: { type: "string", default: "0" },
  users: { type: "string", default: "200" },
  files: { type: "string", default: "0" },
});

const counts = {
  uploads: readWholeNumber(USAGE, "uploads", values.uploads),
  users: readWholeNumber(USAGE, "users", values.users),
  files: readWholeNumber(USAGE, "files", values.files),
};
try {
  await withDataFolder(async ({ platform: { database, clock } }) => {
    const startedMs = performance.now();
    await seedRows(database, counts, clock.now(), (what, done, of) => {
      if (done % 50_000 === 0 || done === of)
        console.log(of === 0 ? what : `${what} ${done}/${of}`);
    });
    // The audit log is append-only: invented changes would stay in it. This entry is true.
    await database.run(
      auditEntry({
        atMs: clock.now(),
        actorId: null,
        action: "database.seed",
        result: "done",
        after: counts,
      }),
    );
    console.log(`Seeded in ${((performance.now() - startedMs) / 1_000).toFixed(1)} s`);
  });
} catch (error) {
  console.error(endOf(error).said);
  process.exitCode = 1;
}
