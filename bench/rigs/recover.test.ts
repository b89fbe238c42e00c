import { chmod, copyFile, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import process from "node:process";
import { expect, test, vi } from "vitest";
import { backUpNow, readBackups } from "#contract/backups.ts";
import { getUpload } from "#contract/uploads.ts";
import { run } from "#hosts/node/testing/run.ts";
import { makeTemporaryFolder } from "#hosts/node/testing/temporary-folder.ts";
import { killableNodeHost } from "./killable-node.ts";
import { openRigHost } from "./rig-host.ts";
import { untilCompleted } from "./until-completed.ts";

test("the page's commands bring a deployment back, beside which its first machine writes nothing", async () => {
  await using folder = await makeTemporaryFolder();
  const [one, two] = [join(folder.path, "one"), join(folder.path, "two")];
  const rig = await openRigHost(killableNodeHost(one));
  const first = await rig.startHost();
  const client = await rig.signIn();
  const backedUp = await rig.archive(client, { segmentCount: 2 });
  await untilCompleted(client, backedUp.uploadId);
  const { last: nightly } = await client.expect(readBackups);
  await client.expect(backUpNow);
  await vi.waitFor(
    async () =>
      expect((await client.expect(readBackups)).last?.at ?? null).not.toBe(nightly?.at ?? null),
    180_000,
  );
  const since = await rig.archive(client, { segmentCount: 2 });
  await untilCompleted(client, since.uploadId);

  // The first machine goes on: whoever recovers takes it for lost.
  await mkdir(two);
  await symlink(join(one, "objects"), join(two, "objects"));
  await copyFile(join(one, "secret-key"), join(folder.path, "secret-key"));
  await mkdir(join(folder.path, "bin"));
  const shim = `#!/bin/sh\nexec "${process.execPath}" "${resolve("program/main.ts")}" "$@"\n`;
  await writeFile(join(folder.path, "bin/vodkeep"), shim);
  await chmod(join(folder.path, "bin/vodkeep"), 0o755);
  const page = await readFile("docs/recover.md", "utf8");
  const [, commands = ""] = /```sh\n([^]*?)```/.exec(page) ?? [];
  const path = `${join(folder.path, "bin")}:${process.env["PATH"]}`;
  const settings = { PATH: path, DATA_DIR: two, OBJECT_STORE: "" };
  const recovered = await run("sh", ["-ec", commands], settings, { cwd: folder.path });
  expect(recovered).toMatchObject({ code: 0 });
  expect(recovered.stdout).toMatch(/^Put back 1 completed and 0 partial uploads/m);
  expect(recovered.stdout).toMatch(
    /^Of 2 files one part each was read: all are what was proved\.$/m,
  );
  expect(recovered.stdout).toMatch(/^Set TWITCH_CLIENT_ID and TWITCH_CLIENT_SECRET/m);

  const refused = await rig.archive(client, { segmentCount: 2 });
  await vi.waitFor(
    async () => expect((await fetch(`${rig.publicUrl}/readyz`)).status).toBe(503),
    180_000,
  );
  const upload = await client.expect(getUpload, `/admin/uploads/${refused.uploadId}`);
  expect(upload.status).not.toBe("completed");
  await first.kill();

  await rig.startHost(killableNodeHost(two));
  const again = await rig.signIn();
  const later = await rig.archive(again, { segmentCount: 2 });
  await untilCompleted(again, later.uploadId);
  await rig.close();
});
