import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { getUpload } from "#contract/uploads.ts";
import { makeTemporaryFolder } from "#hosts/node/testing/temporary-folder.ts";
import { archiveKeys, sidecarKeys } from "#service/storage/object-keys.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { CONSOLE, PROGRAM } from "../../scripts/build.mjs";
import { buildPackage } from "../../scripts/package.mjs";
import { startChild } from "./child.ts";
import { killableNodeHost } from "./killable-node.ts";
import { openRigHost } from "./rig-host.ts";

const run = promisify(execFile);

/** Nobody, who owns nothing on this machine. */
const NOBODY = { uid: 65_534, gid: 65_534 };

/** Without Node. */
const MAX_INSTALLED_KB = 60_000;

test("a commit gives the same package again", async () => {
  const made = dirname(await buildPackage());
  const sums = readFileSync(join(made, "SHA256SUMS"), "utf8");
  expect(sums).toMatch(/\.tgz\n.+\.tar\n.+\.cdx\.json\n$/);
  const materials = readdirSync(made).find((name) => name.endsWith(".cdx.json")) ?? "";
  expect(JSON.parse(readFileSync(join(made, materials), "utf8"))).toMatchObject({
    metadata: { component: { name: "vodkeep" } },
  });
  const folder = await makeTemporaryFolder();
  onTestFinished(() => folder.remove());
  for (const { folder: built, args } of [CONSOLE, PROGRAM]) {
    const again = join(folder.path, built);
    const env = { ...process.env, NODE_ENV: "production" };
    await run(process.execPath, [...args, again], { env });
    await run("diff", ["--recursive", "--brief", built, again]);
  }
  await buildPackage();
  await run("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: made });
  expect(readFileSync(join(made, "SHA256SUMS"), "utf8")).toBe(sums);
});

// Only root may become another user.
test.runIf(process.getuid?.() === 0)(
  "the installed package archives, backs up and starts from the backup, as another user",
  async () => {
    const folder = await makeTemporaryFolder();
    onTestFinished(() => folder.remove());
    const at = (...names: string[]) => join(folder.path, ...names);
    for (const name of ["bin", "home"]) mkdirSync(at(name));
    copyFileSync(await buildPackage(), at("home", "vodkeep.tgz"));
    // That of the project may be where only root may look.
    copyFileSync(process.execPath, at("bin", "node"));
    await run("chown", ["-R", "65534:65534", folder.path]);
    const home = { ...NOBODY, cwd: at("home") };
    const env = { PATH: `${at("bin")}:${process.env.PATH}`, HOME: at("home") };
    const install = ["install", "--offline", "--omit=optional", "--prefix", at("program")];
    await run("npm", [...install, "./vodkeep.tgz"], { ...home, env });
    // As in a container with a read-only root.
    await run("chown", ["-R", "root:root", at("program")]);
    await run("chmod", ["-R", "a-w,a+rX", at("program")]);
    const { stdout } = await run("du", ["-sk", at("program")]);
    expect(Number.parseInt(stdout, 10)).toBeLessThan(MAX_INSTALLED_KB);

    const bin = at("program", "node_modules", ".bin", "vodkeep");
    const user = { ...home, node: at("bin", "node") };
    const start = (settings: Readonly<Record<string, string>>, ...args: string[]) =>
      startChild(bin, { ...env, ...settings }, args, { user });
    const first = await start({ PORT: "0" });
    onTestFinished(() => first.kill());
    expect(first.ready).toMatchObject({ standIn: true });
    await first.stop();

    const hostOf = (name: string) => ({
      start: (settings: Readonly<Record<string, string>>) =>
        start({ ...settings, DATA_DIR: at("home", name) }, "start"),
    });
    const rig = await openRigHost(hostOf("data"));
    onTestFinished(() => rig.close());
    const host = await rig.startHost();
    const signInPage = await fetch(rig.publicUrl);
    expect(await signInPage.text()).toContain('<div id="root">');
    const client = await rig.signIn();
    const made = await rig.archive(client, { segmentCount: 3, segmentSizeBytes: 1_000_000 });
    await untilCompleted(client, made.uploadId);
    const backup = await run(bin, ["backup", "--to", "backup"], {
      ...home,
      env: { ...env, DATA_DIR: "data" },
    });
    expect(backup.stdout).toMatch(/^Backed up to /);
    await host.stop();

    const restored = await rig.startHost(hostOf("backup"));
    await untilCompleted(await rig.signIn(), made.uploadId);
    await restored.stop();
    const key = archiveKeys(made, "ts").object;
    const source = await rig.control.sourceDigest(made.vodId);
    const object = { uploadId: made.uploadId, keys: [key], sidecars: sidecarKeys(key) };
    const store = killableNodeHost(at("home", "backup"));
    expect(await store.check([{ ...source, ...object }])).toEqual([]);
  },
);

async function untilCompleted(client: TestClient, uploadId: string): Promise<void> {
  await vi.waitFor(
    async () =>
      expect(await client.expect(getUpload, `/admin/uploads/${uploadId}`)).toMatchObject({
        status: "completed",
      }),
    90_000,
  );
}
