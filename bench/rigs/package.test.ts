import { execFile } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { run as runToEnd } from "#hosts/node/testing/run.ts";
import { makeTemporaryFolder } from "#hosts/node/testing/temporary-folder.ts";
import { archiveKeys, sidecarKeys } from "#service/storage/object-keys.ts";
import { CONSOLE, PROGRAM } from "../../scripts/build.mjs";
import { BUNDLED_PACKAGES } from "../../scripts/bundled-packages.mjs";
import { buildPackage } from "../../scripts/package.mjs";
import { startChild } from "./child.ts";
import { killableNodeHost } from "./killable-node.ts";
import { openRigHost } from "./rig-host.ts";
import { untilCompleted } from "./until-completed.ts";

const run = promisify(execFile);

/** Nobody, who owns nothing on this machine. */
const NOBODY = { uid: 65_534, gid: 65_534 };

/** Without Node. */
const MAX_INSTALLED_KB = 60_000;

const built = buildPackage();

test("the package can be packed again to the same bytes, and names the licences in it", async () => {
  const made = dirname(await built);
  const folder = await makeTemporaryFolder();
  onTestFinished(() => folder.remove());
  // A second build of the console would take longer than all of this file (docs/release.md).
  const program = join(folder.path, "program");
  await run(process.execPath, [...PROGRAM.args, program]);
  const contents = join(made, "contents");
  const lists = ["--exclude", BUNDLED_PACKAGES];
  await run("diff", ["-r", "--brief", ...lists, join(contents, "dist/program"), program]);
  await run("npm", ["pack", contents, "--pack-destination", folder.path]);
  const [again = ""] = readdirSync(folder.path).filter((name) => name.endsWith(".tgz"));
  expect(readFileSync(join(folder.path, again))).toEqual(readFileSync(join(made, again)));
  await run("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: made });
  expect(readFileSync(join(made, "SHA256SUMS"), "utf8")).toMatch(
    /\.tgz\n.+\.tar\n.+\.cdx\.json\n$/,
  );

  const licences = readFileSync(join(contents, "THIRD_PARTY_LICENSES"), "utf8");
  for (const list of [CONSOLE, PROGRAM])
    for (const bundled of readFileSync(join(list.folder, BUNDLED_PACKAGES), "utf8").split("\n")) {
      const { name, version } = JSON.parse(readFileSync(join(bundled, "package.json"), "utf8"));
      expect(licences).toContain(`${name} ${version} (`);
    }
  // Of a script, a worker's script, a font and the program.
  for (const name of ["react-dom", "mediabunny", "@fontsource-variable/inter", "undici"])
    expect(licences).toMatch(new RegExp(`^${name} \\d[^]+?(?:Copyright|Mozilla Public)`, "m"));
  const { license } = JSON.parse(readFileSync(join(contents, "package.json"), "utf8"));
  expect(readFileSync(join(contents, "LICENSE"), "utf8")).toMatch(`${license} License`);
  const materials = readFileSync(join(made, again.replace("tgz", "cdx.json")), "utf8");
  expect(JSON.parse(materials)).toMatchObject({ metadata: { component: { name: "vodkeep" } } });
});

// Only root may become another user.
test.runIf(process.getuid?.() === 0)(
  "the installed package archives, backs up and restores as another user, by each of its commands",
  async () => {
    const folder = await makeTemporaryFolder();
    onTestFinished(() => folder.remove());
    const at = (...names: string[]) => join(folder.path, ...names);
    for (const name of ["bin", "home"]) mkdirSync(at(name));
    copyFileSync(await built, at("home", "vodkeep.tgz"));
    // That of the project may be where only root may look.
    copyFileSync(process.execPath, at("bin", "node"));
    await run("chown", ["-R", "65534:65534", folder.path]);
    const home = { ...NOBODY, cwd: at("home") };
    const env = { PATH: `${at("bin")}:${process.env.PATH}`, HOME: at("home") };
    const install = ["install", "--offline", "--ignore-scripts", "--prefix", at("program")];
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

    let settings: Readonly<Record<string, string>> = {};
    const hostOf = (name: string) => ({
      start(given: Readonly<Record<string, string>>) {
        settings = given;
        return start({ ...given, DATA_DIR: at("home", name) }, "start");
      },
    });
    const rig = await openRigHost(hostOf("data"));
    onTestFinished(() => rig.close());
    const host = await rig.startHost();
    const signInPage = await fetch(rig.publicUrl);
    expect(await signInPage.text()).toContain('<div id="root">');
    const client = await rig.signIn();
    const made = await rig.archive(client, { segmentCount: 3, segmentSizeBytes: 1_000_000 });
    await untilCompleted(client, made.uploadId);
    const audit = await (await client.send("GET", "/admin/audit/export")).text();
    for (const [name, text] of [
      ["audit.jsonl", audit],
      ["changed.jsonl", audit.replace(/(?<="previousSeal":")\w{8}/, "0".repeat(8))],
    ] as const)
      writeFileSync(at("home", name), text);
    /** Runs a command of the package, and compares how it ends. */
    async function vodkeep(name: string, line: string, exitCode: number, said: RegExp) {
      const given = { ...env, ...settings, DATA_DIR: at("home", name) };
      const end = await runToEnd(bin, line.split(" "), given, home);
      expect({ line, code: end.code, said: end.stdout + end.stderr }).toEqual({
        line,
        code: exitCode,
        said: expect.stringMatching(said),
      });
    }
    // As after a backup that root made.
    writeFileSync(at("home", "data", "last-backup"), "", { mode: 0o600 });
    await vodkeep("data", "backup --to backup", 0, /^Backed up to .+\n$/);
    await vodkeep("data", "doctor", 0, /^A VOD could be archived whole, with its chat\.$/m);
    await vodkeep("data", "verify-audit audit.jsonl", 0, /entries are unchanged/);
    await vodkeep("data", "verify-audit changed.jsonl", 6, /^Line \d+: /);
    await vodkeep("data", "rebuild-index", 1, /is in use by another Vodkeep process/);
    await host.stop();
    await vodkeep("data", "migrate --rows rows.sql", 0, /^$/);
    await vodkeep("data", "takeover", 0, /belongs to this deployment/);
    await run(process.execPath, ["bench/rigs/backup-process.ts", "backup"], {
      env: { ...process.env, ...settings, DATA_DIR: at("home", "data") },
    });

    // A new machine, with nothing but the store and the key.
    mkdirSync(at("home", "new"));
    copyFileSync(at("home", "data", "secret-key"), at("home", "new", "secret-key"));
    renameSync(at("home", "data", "objects"), at("home", "new", "objects"));
    await run("chown", ["-R", "65534:65534", at("home")]);
    await vodkeep("new", "restore", 0, /its SHA-256 is right\.\n[^]+: 0\.\n[^]+: 0\.\n[^]*Nothing/);
    await vodkeep("new", "restore --from latest --yes", 0, /has the backup's database\./);
    await vodkeep("new", "rebuild-index", 0, /^Put back 0 completed .+; 1 were known/);

    const key = archiveKeys(made, "ts").object;
    const source = await rig.control.sourceDigest(made.vodId);
    const object = { uploadId: made.uploadId, keys: [key], sidecars: sidecarKeys(key) };
    for (const name of ["backup", "new"]) {
      const restored = await rig.startHost(hostOf(name));
      await untilCompleted(await rig.signIn(), made.uploadId);
      await restored.stop();
      const store = killableNodeHost(at("home", name));
      expect(await store.check([{ ...source, ...object }])).toEqual([]);
    }
  },
);
