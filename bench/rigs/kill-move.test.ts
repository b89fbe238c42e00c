import { spawn } from "node:child_process";
import process from "node:process";
import { expect, test } from "vitest";
import { createOutgoingFetch } from "#hosts/node/outgoing-fetch.ts";
import { makeTemporaryFolder } from "#hosts/node/testing/temporary-folder.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { systemRandom } from "#hosts/ports/random.ts";
import { openAccount } from "../../scripts/migrate/account-destination.ts";
import { listTables } from "../../scripts/migrate/table-list.ts";
import { startTestAccount } from "../../scripts/testing/cloudflare-account.ts";
import { contentsOf, rowsAt } from "../../scripts/testing/contents.ts";
import { fillFolder, openFolder } from "../../scripts/testing/filled-folder.ts";

/**
 * The number of requests after which each of ten tries is killed: during the claim, all parts of
 * the schema, the objects and the rows.
 */
const DEATHS = [1, 20, 45, 80, 70, 3, 12, 30, 8, 25];

test(
  `a move to Cloudflare that is killed ${DEATHS.length} times goes on, and ends with the same contents`,
  { timeout: 240_000 },
  async () => {
    const temporary = await makeTemporaryFolder();
    const account = await startTestAccount();
    const outgoing = createOutgoingFetch();

    /** Runs the command as an operator does; returns its exit code or signal. */
    function runMove(arm: (end: () => void) => void): Promise<number | string | null> {
      const child = spawn(process.execPath, ["scripts/migrate.ts", "--to", "cloudflare"], {
        env: { PATH: process.env["PATH"], DATA_DIR: temporary.path, ...account.settings },
        stdio: "ignore",
      });
      arm(() => child.kill("SIGKILL"));
      return new Promise((resolve) =>
        child.once("exit", (code, signal) => resolve(signal ?? code)),
      );
    }

    await (await fillFolder(temporary.path)).close();
    for (const [index, requests] of DEATHS.entries()) {
      const moment = index % 2 === 0 ? "request" : "answer";
      const death = await runMove((end) => account.interruptAfter(requests, moment, end));
      expect(death).toBe("SIGKILL");
    }
    account.interruptAfter(Infinity, "request", () => undefined);
    expect(await runMove(() => undefined)).toBe(0);

    const folder = await openFolder(temporary.path);
    const { tables } = await listTables(folder.database);
    const destination = await openAccount(account.settings, {
      fetch: outgoing.fetch,
      clock: systemClock,
      random: systemRandom,
      digests: folder.digests,
    });
    const there = await contentsOf(
      tables,
      (text) => rowsAt(destination, text),
      destination.objects,
    );
    const here = await contentsOf(
      tables,
      (text) => folder.database.all({ sql: text, values: [] }),
      folder.objects,
    );
    expect(there).toEqual(here);

    const writes = account.writes();
    expect(await runMove(() => undefined)).toBe(0);
    expect(account.writes()).toBe(writes);

    await folder.close();
    await outgoing.close();
    await account.close();
    await temporary.remove();
  },
);
