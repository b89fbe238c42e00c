import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { run } from "./testing/run.ts";
import { makeTemporaryFolder } from "./testing/temporary-folder.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

test("a process that closes its database while a sync runs comes to its end", async () => {
  const folder = await makeTemporaryFolder();
  const program = `
    import { startCheckpointer } from "#hosts/node/checkpointer.ts";
    const checkpointer = startCheckpointer(${JSON.stringify(join(folder.path, "none.db"))}, 1_000);
    checkpointer.syncLog().catch(() => undefined);
    await checkpointer.stop();
    console.log("ended");`;
  for (let count = 0; count < 5; count += 1)
    expect(await run(process.execPath, ["--eval", program], {}, { cwd: ROOT })).toEqual({
      code: 0,
      stdout: "ended\n",
      stderr: "",
    });
  await folder.remove();
});
