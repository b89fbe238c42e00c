import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";

/** Whether the shell finds this command. */
export function isInstalled(command: string): boolean {
  if (command.includes("/")) return true;
  return (process.env.PATH ?? "").split(delimiter).some((each) => existsSync(join(each, command)));
}
