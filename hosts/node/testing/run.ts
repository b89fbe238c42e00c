import { execFile, type ExecFileOptions } from "node:child_process";
import process from "node:process";

/** Without the compile cache, a short command would spend most of its time compiling. */
const { PATH, NODE_COMPILE_CACHE } = process.env;

/** Runs a command to its end, whatever that is, with PATH and the given variables only. */
export function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  options: ExecFileOptions = {},
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const given = {
    ...options,
    encoding: "utf8",
    env: { PATH, NODE_COMPILE_CACHE, ...env },
  } as const;
  return new Promise((resolve) => {
    execFile(command, args, given, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

/** Runs a command of `vodkeep` from its sources. */
export function runVodkeep(args: readonly string[], env: Readonly<Record<string, string>>) {
  return run(process.execPath, ["program/main.ts", ...args], env);
}
