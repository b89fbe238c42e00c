import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Agent, fetch as fetchWith } from "undici";
import * as z from "zod/mini";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { steerTwitch } from "#stand-ins/twitch/control/steer-twitch.ts";
import { findFreePort } from "./testing/free-port.ts";
import { makeTemporaryFolder } from "./testing/temporary-folder.ts";

const PROGRAM = fileURLToPath(new URL("./main.ts", import.meta.url));

/** Credentials that are never used; they prevent the start of stand-ins. */
const TWITCH = { TWITCH_CLIENT_ID: "id", TWITCH_CLIENT_SECRET: "secret" };

const STAND_IN = { TWITCH_CLIENT_ID: "", TWITCH_CLIENT_SECRET: "" };

const readySchema = z.object({ ready: z.literal(true), port: z.number(), pid: z.number() });

describe("the node host", () => {
  let folder: { path: string; remove(): Promise<void> };
  let children: ChildProcess[];
  beforeEach(async () => {
    folder = await makeTemporaryFolder();
    children = [];
  });
  afterEach(async () => {
    for (const child of children) child.kill("SIGKILL");
    await folder.remove();
  });

  function start(
    settings: Record<string, string>,
    flags: readonly string[] = [],
    args: readonly string[] = [],
  ) {
    const child = spawn(process.execPath, [...flags, PROGRAM, ...args], {
      env: { PATH: process.env["PATH"], DATA_DIR: folder.path, PORT: "0", ...settings },
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.push(child);
    let output = "";
    let errors = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    const ready = async () => {
      await expect.poll(() => output).toContain('"ready":true');
      const line = output.split("\n").find((each) => each.includes('"ready":true')) ?? "";
      return readySchema.parse(JSON.parse(line));
    };
    return { child, ready, ended, output: () => output, errors: () => errors };
  }

  it.each<[Record<string, string>, RegExp, number?]>([
    [{ PORT: "eighty" }, /^PORT must be a whole number from 0 to 65535\.\n$/],
    [
      { ...STAND_IN, HOST: "0.0.0.0", TRUSTED_PROXIES: "10.0.0.1" },
      /^HOST 0\.0\.0\.0 opens [^\n]+ TWITCH_CLIENT_ID [^\n]+\.\n$/,
    ],
    [{ ...STAND_IN, PUBLIC_URL: "https://vodkeep.lan" }, /^PUBLIC_URL [^\n]+ opens [^\n]+\.\n$/],
    [{ TRUSTED_PROXIES: "0.0.0.0/0" }, /^TRUSTED_PROXIES [^\n]+\.\n$/],
    [{ DATA_DIR: "/dev/null/data" }, /^DATA_DIR [^\n]+ cannot be used: [^\n]+\.\n$/, 1],
  ])("exits with a one-sentence error for %j", async (settings, sentence, code = 78) => {
    const host = start({ ...TWITCH, ...settings });
    expect(await host.ended).toBe(code);
    expect(host.errors()).toMatch(sentence);
  });

  it("reads the credentials that the setup stored, unless the environment has some", async () => {
    await writeFile(join(folder.path, "twitch-credentials"), "v1.AAAA.AAAA\n");
    const host = start(STAND_IN);
    expect(await host.ended).toBe(78);
    expect(host.errors()).toMatch(/^SECRET_KEY does not decrypt [^\n]+\.\n$/);
    const { port } = await start(TWITCH).ready();
    expect(new URL(await authUrlOf(port)).searchParams.get("client_id")).toBe("id");
  });

  it("neither plays Twitch to a database that knows the real one, nor takes another key", async () => {
    const real = start({ ...TWITCH, SECRET_KEY: "a key for tests, not for keeping" });
    await real.ready();
    real.child.kill("SIGTERM");
    await real.ended;
    for (const [settings, sentence] of [
      [
        STAND_IN,
        /^The database was sealed with the secret key [^\n]+, and there is none here: [^\n]+\n$/,
      ],
      [
        { ...STAND_IN, SECRET_KEY: "a key for tests, not for keeping" },
        /^The database in [^\n]+ Twitch application id: set TWITCH_CLIENT_ID [^\n]+\n$/,
      ],
    ] as const) {
      const host = start(settings);
      expect(await host.ended).toBe(78);
      expect(host.errors()).toMatch(sentence);
    }
    const before = await readFile(join(folder.path, "vodkeep.db"));
    await start(TWITCH, [], ["--trial"]).ready();
    expect(await readFile(join(folder.path, "vodkeep.db"))).toEqual(before);
  });

  it("tells systemd that it is ready, and then that it is alive", async () => {
    const told = join(folder.path, "told");
    await writeFile(
      join(folder.path, "systemd-notify"),
      `#!/bin/sh\necho "$NOTIFY_SOCKET $*" >> ${told}\n`,
      { mode: 0o700 },
    );
    const path = `${folder.path}:${process.env["PATH"]}`;
    start({ ...TWITCH, PATH: path, NOTIFY_SOCKET: "/run/s", WATCHDOG_USEC: "200000" });
    await expect
      .poll(() => readFile(told, "utf8").catch(() => ""))
      .toMatch(/^\/run\/s READY=1\n(?:\/run\/s WATCHDOG=1\n){2}/);
  });

  it("serves https with a certificate of its own, and says so where Twitch would refuse http", async () => {
    const secure = start({ ...TWITCH, TLS: "self-signed" });
    const { port } = await secure.ready();
    const ca = await readFile(join(folder.path, "self-signed.crt"), "utf8");
    const dispatcher = new Agent({ connect: { ca } });
    const answer = await fetchWith(`https://localhost:${port}/healthz`, { dispatcher });
    await dispatcher.close();
    expect(answer.status).toBe(200);
    secure.child.kill("SIGTERM");
    expect(await secure.ended).toBe(0);
    const plain = start({ ...TWITCH, PUBLIC_URL: "http://nas:8787" });
    await plain.ready();
    await expect
      .poll(plain.output)
      .toContain("set TLS=self-signed and PUBLIC_URL=https://nas:8787");
  });

  it("serves with stand-ins even if their state cannot be saved", async () => {
    await mkdir(join(folder.path, "twitch-stand-in.json.new"));
    const host = start(STAND_IN);
    const { port } = await host.ready();
    expect((await fetch(`http://127.0.0.1:${port}/admin/auth/login`)).status).toBe(200);
    // The stand-ins hold the same pipes: once those are closed, nothing more is written.
    host.child.kill("SIGKILL");
    await host.ended;
  });

  it("serves, locks its folder and port, and exits cleanly on SIGTERM", async () => {
    const host = start(TWITCH);
    const { port } = await host.ready();
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);

    const second = start(TWITCH);
    expect(await second.ended).toBe(1);
    expect(second.errors()).toMatch(
      /^DATA_DIR [^\n]+ is in use by another Vodkeep process[^\n]+\n$/,
    );

    const other = start({ ...TWITCH, DATA_DIR: `${folder.path}/other`, PORT: String(port) });
    expect(await other.ended).toBe(1);
    expect(other.errors()).toBe(`PORT ${port} on 127.0.0.1 is in use by another program.\n`);

    host.child.kill("SIGTERM");
    expect(await host.ended).toBe(0);
    expect(host.errors()).toBe("");
    expect(host.output()).toContain(`OAuth redirect URL http://localhost:${port}/auth/callback `);
    expect(host.output()).toContain("Set up Twitch and the first administrator");
    expect(host.output()).not.toContain("ADMIN_TWITCH_IDS is empty");
  });

  it("serves in watch mode without errors", async () => {
    const host = start(TWITCH, ["--watch"]);
    const { port } = await host.ready();
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    host.child.kill("SIGTERM");
    await host.ended;
    expect(host.errors()).toBe("");
  });

  it("serves even if its output is not read", async () => {
    const port = await findFreePort();
    const host = start({ ...TWITCH, PORT: String(port) });
    host.child.stdout.destroy();
    await vi.waitFor(async () => {
      const response = await fetch(`http://127.0.0.1:${port}/healthz`);
      expect(response.status).toBe(200);
    }, 180_000);
    host.child.kill("SIGTERM");
    expect(await host.ended).toBe(0);
  });

  it("keeps the stand-in's address, sign-ins and VODs across a restart", async () => {
    const first = start({});
    const authUrl = await authUrlOf((await first.ready()).port);
    const { origin, searchParams } = new URL(authUrl);
    const form = new URLSearchParams([...searchParams, ["account", "1001"]]);
    const consent = await fetch(`${origin}/oauth2/authorize`, {
      method: "POST",
      body: form,
      redirect: "manual",
    });
    const back = new URL(consent.headers.get("location") ?? "");
    const exchanged = await fetch(`${origin}/oauth2/token`, {
      method: "POST",
      body: new URLSearchParams({
        client_id: searchParams.get("client_id") ?? "",
        client_secret: "standinclientsecret",
        grant_type: "authorization_code",
        redirect_uri: searchParams.get("redirect_uri") ?? "",
        code: back.searchParams.get("code") ?? "",
      }),
    });
    const tokens = z.object({ access_token: z.string() }).parse(await exchanged.json());
    const twitch = steerTwitch(origin);
    const { id } = await twitch.addVod();
    first.child.kill("SIGTERM");
    expect(await first.ended).toBe(0);

    const second = start({});
    expect(new URL(await authUrlOf((await second.ready()).port)).origin).toBe(origin);
    const validated = await fetch(`${origin}/oauth2/validate`, {
      headers: { authorization: `OAuth ${tokens.access_token}` },
    });
    expect(await validated.json()).toMatchObject({ user_id: "1001" });
    expect(await twitch.vods()).toContainEqual(expect.objectContaining({ id }));
  });

  it("starts a Twitch stand-in without credentials, which ends when the host is killed", async () => {
    const host = start({});
    const { port } = await host.ready();
    const standIn = new URL(await authUrlOf(port)).origin;
    await expect.poll(host.output).toContain(`a stand-in plays Twitch at ${standIn}`);
    expect((await fetch(`${standIn}/oauth2/validate`)).status).toBe(401);
    host.child.kill("SIGKILL");
    await host.ended;
    await vi.waitFor(
      () => expect(fetch(`${standIn}/oauth2/validate`)).rejects.toThrow("fetch failed"),
      180_000,
    );
  });
});

async function authUrlOf(port: number): Promise<string> {
  const login = await fetch(`http://127.0.0.1:${port}/admin/auth/login`);
  const body = z.object({ data: z.object({ authUrl: z.string() }) }).parse(await login.json());
  return body.data.authUrl;
}
