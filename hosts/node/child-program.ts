import { fork } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type * as z from "zod/mini";

/**
 * Runs a stand-in as a child process and resolves with its first message, the addresses it serves.
 * The child ends when `close` is called or when this process ends for any reason. Always runs from
 * the sources: the build contains no test servers.
 */
export function startChildProgram<T>(
  name: "twitch-stand-in-process" | "message-stand-ins-process",
  args: readonly string[],
  messageSchema: z.ZodMiniType<T>,
): Promise<{ readonly message: T; readonly close: () => void }> {
  const program = fileURLToPath(new URL(`../../hosts/node/${name}.ts`, import.meta.url));
  // Set by `node --watch`; it would make the child report its modules over the IPC channel.
  const { WATCH_REPORT_DEPENDENCIES: _unwanted, ...env } = process.env;
  const child = fork(program, [...args], { env, stdio: ["ignore", "inherit", "inherit", "ipc"] });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) =>
      reject(new Error(`${name} ended with code ${code} before it served`)),
    );
    child.once("message", (message) =>
      resolve({
        message: messageSchema.parse(message),
        close: () => {
          if (child.connected) child.disconnect();
        },
      }),
    );
  });
}
