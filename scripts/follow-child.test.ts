import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";

const FOLLOW_CHILD = fileURLToPath(new URL("./follow-child.mjs", import.meta.url));

/** Ends like the service: a second signal ends it at once, with code 1. */
const SERVICE = `
  let signals = 0;
  let isEnding = false;
  function end() {
    if (isEnding) return;
    isEnding = true;
    console.log("ending");
    process.stdin.once("end", () => process.exit(0)).resume();
  }
  process.on("SIGTERM", () => (++signals > 1 ? process.exit(1) : end()));
  process.on("disconnect", end);
  setInterval(() => undefined, 60_000);
  console.log("serving");
`;

const FOLLOWER = `
  import { spawn } from "node:child_process";
  import { followChild } from ${JSON.stringify(FOLLOW_CHILD)};
  const stdio = ["inherit", "inherit", "inherit", "ipc"];
  followChild(() => spawn(process.execPath, ["--eval", process.env.SERVICE], { stdio }));
`;

const started: ChildProcess[] = [];
afterEach(() => {
  for (const { pid } of started.splice(0)) if (pid !== undefined) killGroup(pid, "SIGKILL");
});

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    expect(error).toMatchObject({ code: "ESRCH" });
  }
}

/** Runs a command in its own process group; leftover processes keep its output open. */
function start(command: string, args: readonly string[]) {
  const child = spawn(command, args, {
    detached: true,
    stdio: ["pipe", "pipe", "inherit"],
    env: { PATH: process.env["PATH"], SERVICE, FOLLOWER, npm_lifecycle_event: "start" },
  });
  started.push(child);
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const closed = once(child, "close");
  return {
    pid: child.pid ?? 0,
    output: (): string => output,
    /** Lets the service finish, and waits until all processes have ended. */
    async finish(): Promise<unknown> {
      child.stdin.end();
      const [code] = await closed;
      return code;
    },
  };
}

const followerArgs = ["--input-type=module", "--eval", FOLLOWER];

test.for([
  ["the follower alone", 1],
  ["the whole group", -1],
] as const)("a signal to %s ends the service gracefully", async ([, sign]) => {
  const follower = start(process.execPath, followerArgs);
  await expect.poll(follower.output).toContain("serving");
  process.kill(sign * follower.pid, "SIGTERM");
  await expect.poll(follower.output).toContain("ending");
  expect(await follower.finish()).toBe(0);
});

test("a service does not outlive the shell that npm started it in", async () => {
  const program = JSON.stringify(process.execPath);
  const shell = start("sh", ["-c", `${program} --input-type=module --eval "$FOLLOWER"; true`]);
  await expect.poll(shell.output).toContain("serving");
  process.kill(shell.pid, "SIGTERM");
  await expect.poll(shell.output).toContain("ending");
  await shell.finish();
});
