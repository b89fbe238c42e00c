import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { takeDataFolder } from "./data-folder.ts";
import { makeTemporaryFolder } from "./testing/temporary-folder.ts";

const HOLDER = fileURLToPath(new URL("./testing/folder-holder.ts", import.meta.url));

describe("the data folder", () => {
  let temporary: { path: string; remove(): Promise<void> };
  beforeEach(async () => {
    temporary = await makeTemporaryFolder();
  });
  afterEach(() => temporary.remove());

  it("is created with its parents, and can be taken again once released", () => {
    const path = join(temporary.path, "deep/down");
    takeDataFolder(path).release();
    const folder = takeDataFolder(path);
    expect(folder.path).toBe(path);
    folder.release();
  });

  it("is rejected while another process holds it, and free once that process is killed", async () => {
    const child = spawn(process.execPath, [HOLDER, temporary.path], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise((resolve) => child.stdout.once("data", resolve));
    expect(() => takeDataFolder(temporary.path)).toThrow(
      `DATA_DIR ${temporary.path} is in use by another Vodkeep process`,
    );
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
    takeDataFolder(temporary.path).release();
  });

  it("is named in the error if it cannot be used", async () => {
    const path = join(temporary.path, "file");
    await writeFile(path, "not a folder");
    expect(() => takeDataFolder(path)).toThrow(/^DATA_DIR .*file cannot be used: .*EEXIST/);
  });

  it.runIf(existsSync("/proc/self"))("is named in the error if it cannot be created", () => {
    expect(() => takeDataFolder("/proc/nope/data")).toThrow(
      /^DATA_DIR \/proc\/nope\/data cannot be used: ENOENT/,
    );
  });

  it("is inaccessible to other users, with all files written into it", async () => {
    await chmod(temporary.path, 0o755);
    const folder = takeDataFolder(temporary.path);
    await mkdir(join(temporary.path, "objects"));
    await writeFile(join(temporary.path, "objects/one.ts"), "");
    const modeOf = async (name: string): Promise<number> =>
      (await stat(join(temporary.path, name))).mode & 0o777;
    expect(await modeOf(".")).toBe(0o700);
    expect(await modeOf("lock")).toBe(0o600);
    expect(await modeOf("objects")).toBe(0o700);
    expect(await modeOf("objects/one.ts")).toBe(0o600);
    folder.release();
  });

  it.runIf(process.getuid?.() === 0)("names what belongs to another user", async () => {
    await writeFile(join(temporary.path, "vodkeep.db"), "", { mode: 0o600 });
    await chown(temporary.path, 65_534, 65_534);
    const user = spawn(process.execPath, [HOLDER, temporary.path], { uid: 65_534, gid: 65_534 });
    user.stderr.setEncoding("utf8");
    let said = "";
    for await (const text of user.stderr) said += String(text);
    expect(said).toMatch(/vodkeep\.db belongs to user 0, and user 65534, who runs Vodkeep/);
  });
});
