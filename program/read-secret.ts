import process from "node:process";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";

/** Reads a line that is not echoed, and never an argument, which other users of the machine could read. */
export async function readSecret(prompt: string): Promise<string> {
  const isTerminal = process.stdin.isTTY;
  if (isTerminal) process.stderr.write(`${prompt}: `);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: isTerminal });
  lines.once("SIGINT", () => {
    lines.close();
    process.kill(process.pid, "SIGINT");
  });
  const ended = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
  const secret = (await Promise.race([lines.question(""), ended])).trim();
  lines.close();
  if (isTerminal) process.stderr.write("\n");
  return secret;
}
