import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { PERMISSIONS } from "#contract/permissions.ts";
import { createToken } from "#contract/tokens.ts";
import { run } from "#hosts/node/testing/run.ts";
import { makeTemporaryFolder } from "#hosts/node/testing/temporary-folder.ts";
import { listen } from "#stand-ins/listen.ts";
import { startChild } from "./child.ts";
import { killableNodeHost } from "./killable-node.ts";
import { openRigHost } from "./rig-host.ts";
import { untilCompleted } from "./until-completed.ts";

/*
 * Machines that are not like ours: each command works there, or ends in one sentence that names what to
 * set. Installing under NODE_ENV=production is tested in scripts/install.test.ts, and the package
 * without install scripts in package.test.ts.
 */

const folder = await makeTemporaryFolder();
const at = (...names: string[]) => join(folder.path, ...names);
const PROGRAM = at("program/vodkeep.cjs");
await run(process.execPath, ["scripts/bundle-program.mjs", dirname(PROGRAM)]);
const rig = await openRigHost(killableNodeHost(at("service")));
await rig.startHost();
const admin = await rig.signIn();
const body = { name: "rig", permissions: PERMISSIONS, expiresInDays: null };
const { token } = await admin.expect(createToken, undefined, { body });
const vod = { segmentCount: 2, segmentSizeBytes: 100_000 };
const { uploadId, vodId } = await rig.archive(admin, vod);
await untilCompleted(admin, uploadId);

let proxied = 0;
/** Passes all requests on to the service, whatever their host. */
const proxy = createServer((request, response) => {
  proxied += 1;
  const { pathname, search } = new URL(request.url ?? "/", rig.publicUrl);
  const { authorization = "" } = request.headers;
  void fetch(rig.publicUrl + pathname + search, { headers: { authorization } })
    .then(async (answer) => response.writeHead(answer.status).end(await answer.text()))
    .catch(() => response.destroy());
});
const proxyUrl = `http://127.0.0.1:${await listen(proxy)}`;
afterAll(async () => {
  proxy.close();
  proxy.closeAllConnections();
  await rig.close();
  await folder.remove();
});

/** A change to Node before the program runs, as the machine would make it. */
function machine(name: string, script: string): Readonly<Record<string, string>> {
  writeFileSync(at(`${name}.cjs`), script);
  return { NODE_OPTIONS: `--require=${at(`${name}.cjs`)}` };
}

const nodeVersion = (version: string) =>
  machine(
    `node-${version}`,
    `Object.defineProperty(process.versions, "node", { value: "${version}" });`,
  );

const NO_HOME = machine(
  "no-home",
  `require("node:os").homedir = () => { throw new Error("uv_os_homedir returned ENOENT"); };
  require("node:module").syncBuiltinESMExports();`,
);

/** As SQLite and fsync answer on NFS without lockd, SMB and 9p. */
const NO_LOCKS = machine(
  "no-locks",
  `const { DatabaseSync } = require("node:sqlite");
  const { exec } = DatabaseSync.prototype;
  const without = new WeakSet();
  DatabaseSync.prototype.exec = function (text) {
    if (text === "PRAGMA synchronous = OFF") without.add(this);
    else if (!without.has(this)) throw new Error("database is locked");
    return exec.call(this, text);
  };
  require("node:fs/promises").open(__filename).then((handle) => {
    Object.getPrototypeOf(handle).sync = async () => {
      throw Object.assign(new Error("EINVAL: invalid argument, fsync"), { code: "EINVAL" });
    };
    return handle.close();
  });`,
);

const far = { VODKEEP_URL: "http://far.invalid" };
const stored = { VODKEEP_TOKEN: "" };
const DATA = { DATA_DIR: at("data") };
const PLACE = at("copies");
mkdirSync(PLACE);

test.each<[string, string, Readonly<Record<string, string>>, number, RegExp]>([
  ["NODE_ENV=production", "ls", { NODE_ENV: "production" }, 0, /completed/],
  ["Node 20", "ls", nodeVersion("20.20.2"), 1, /^Vodkeep needs Node 24 .+ npx [^\n]+\.\n$/],
  ["Node 22", "start", nodeVersion("22.12.0"), 1, /^Vodkeep needs Node 24 .+ npx [^\n]+\.\n$/],
  ["quotes", "start", { DATA_DIR: `"${at("data")}"` }, 78, /^DATA_DIR is in quotes[^\n]+\n$/],
  ["quotes", "restore", { SECRET_KEY: "'0123456789abcdef'" }, 78, /^SECRET_KEY is in quotes/],
  ["quotes", "ls", { VODKEEP_URL: `"${rig.publicUrl}"` }, 78, /^VODKEEP_URL is in quotes/],
  ["line ends", "doctor", { ...DATA, PORT: "8787\r" }, 78, /^PORT ends with a line end[^\n]+\n$/],
  ["~", "backup --to b", { DATA_DIR: "~/data" }, 78, /^DATA_DIR begins with ~[^\n]+\n$/],
  ["a relative folder", "takeover", { DATA_DIR: "data" }, 78, /^DATA_DIR must be a whole path/],
  ["a proxy", "ls", { ...far, HTTP_PROXY: proxyUrl }, 0, /completed/],
  ["a proxy", "ls", { ...far, HTTP_PROXY: proxyUrl, NO_PROXY: "far.invalid" }, 5, /^http:\/\/far/],
  ["a dead proxy", "ls", { HTTP_PROXY: "http://127.0.0.1:9" }, 0, /completed/],
  ["no proxy's address", "doctor", { ...DATA, HTTPS_PROXY: "a:1" }, 78, /^HTTPS_PROXY must be/],
  ["no home", "ls", NO_HOME, 0, /completed/],
  ["no home", "ls", { ...NO_HOME, ...stored }, 78, /^This user has no home[^\n]+HOME[^\n]+\n$/],
  ["a read-only home", "login", { HOME: "/dev/null/none" }, 1, /Set XDG_CONFIG_HOME[^\n]+\n$/],
  ["no locks", `mirror ${PLACE}`, NO_LOCKS, 0, /without locks[^\n]+\n1 files: 1 copied|1 copied/],
  ["no locks", `verify ${PLACE}`, NO_LOCKS, 0, /1 of 1 files are right/],
  ["no locks", `download ${uploadId} --output ${PLACE}/`, NO_LOCKS, 0, /downloaded and verified/],
])("%s: vodkeep %s", async (_machine, line, changes, code, said) => {
  const env = { HOME: at("home"), VODKEEP_URL: rig.publicUrl, VODKEEP_TOKEN: token, ...changes };
  const ended = await run(process.execPath, [PROGRAM, ...line.split(" ")], env);
  expect({ code: ended.code, said: ended.stderr + ended.stdout }).toEqual({
    code,
    said: expect.stringMatching(said),
  });
});

test("the proxy was asked where it had to be", () => expect(proxied).toBe(1));

test("a closed stderr does not change how a command ends", async () => {
  const args = [PROGRAM, "archive", vodId, "--rights-confirmed", "--wait"];
  const env = { PATH: process.env.PATH, VODKEEP_URL: rig.publicUrl, VODKEEP_TOKEN: token };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "pipe"] });
  child.stderr.destroy();
  expect(await once(child, "exit")).toEqual([0, null]);
});

/** In a shell that closes what the command would say, and what it could ask. */
const CLOSED = "2>&- <&-";

test.each([
  ["ls", 0, /completed/],
  ["no-such-command", 2, /^$/],
  ["restore", 4, /^$/],
])("%s ends as it would with its stderr closed from the start", async (line, code, said) => {
  const env = { ...DATA, VODKEEP_URL: rig.publicUrl, VODKEEP_TOKEN: token };
  const command = `exec "${process.execPath}" "${PROGRAM}" ${line} ${CLOSED}`;
  const ended = await run("sh", ["-c", command], env);
  expect(ended).toEqual({ code, stdout: expect.stringMatching(said), stderr: "" });
});

// Where npm test has not installed the packages, npm start would.
test.skipIf(!existsSync("node_modules/.vodkeep-install"))(
  "npm start serves with its stderr closed from the start",
  async () => {
    const env = { PATH: process.env.PATH, HOME: at("home"), DATA_DIR: at("service-3"), PORT: "0" };
    const npm = spawn("sh", ["-c", `exec npm start ${CLOSED}`], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void npm.kill());
    const answers: number[] = [];
    // Its output ends with the service.
    for await (const line of createInterface({ input: npm.stdout })) {
      const [, port] = /"ready":true,"port":(\d+)/.exec(line) ?? [];
      if (port === undefined) continue;
      // Readiness gives the database two seconds, which a busy machine may need.
      const ready = await vi.waitFor(async () => {
        const { status } = await fetch(`http://127.0.0.1:${port}/readyz`);
        expect(status).toBe(200);
        return status;
      }, 180_000);
      answers.push(ready);
      npm.kill();
    }
    expect(answers).toEqual([200]);
  },
);

/** The command that the container's engine runs, as the Dockerfile has it. */
async function checkHealth(host: string, port: unknown): Promise<number> {
  const [, list = "[]"] =
    /HEALTHCHECK[^]*?CMD (\[.+\])\n/.exec(readFileSync("Dockerfile", "utf8")) ?? [];
  const [, ...args] = JSON.parse(list);
  return (await run(process.execPath, args, { HOST: host, PORT: String(port) })).code;
}

test("the service: HOST=::1, production, proxies, and nobody who reads its output", async () => {
  const settings = {
    DATA_DIR: at("service-2"),
    HOST: "::1",
    PORT: "0",
    NODE_ENV: "production",
    HTTP_PROXY: "http://127.0.0.1:9",
    HTTPS_PROXY: "http://127.0.0.1:9",
  };
  const service = await startChild(PROGRAM, settings, ["start"]);
  onTestFinished(() => service.kill());
  const { port } = service.ready;
  service.process.stdout?.destroy();
  expect(await checkHealth("::1", port)).toBe(0);
  expect(await checkHealth("127.0.0.1", port)).toBe(1);
  expect(await checkHealth("0.0.0.0", new URL(rig.publicUrl).port)).toBe(0);
  const login = await fetch(`http://[::1]:${String(port)}/admin/auth/login`);
  expect(login.status).toBe(200);
  await service.stop();
  expect(service.process.exitCode).toBe(0);
});

test("a disk that is mounted later is waited for by starts that say so", async () => {
  mkdirSync(at("late"));
  symlinkSync(at("disk"), at("late/objects"));
  const settings = { DATA_DIR: at("late"), PORT: "0" };
  const early = await run(process.execPath, [PROGRAM, "start"], settings);
  expect(early).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^The object store[^\n]+Mount its disk[^\n]+DATA_DIR\.\n$/),
  });
  mkdirSync(at("disk"));
  const service = await startChild(PROGRAM, settings, ["start"]);
  onTestFinished(() => service.kill());
  expect(service.ready).toMatchObject({ ready: true });
});
