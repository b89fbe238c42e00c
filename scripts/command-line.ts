import process from "node:process";
import { parseArgs, type ParseArgsConfig } from "node:util";
import { StoreError } from "#service/ports/object-store.ts";
import { SettingsError } from "#service/settings.ts";

/** Why a command does not do what it was told, in a sentence for the operator. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}

/**
 * What a command was told. `--help` says how it is used and ends the process. So does, as a failure,
 * whatever the command does not know: a mistyped `--dry-run` must not count as none.
 */
export function readCommandLine<Options extends NonNullable<ParseArgsConfig["options"]>>(
  usage: string,
  options: Options,
) {
  if (process.argv.includes("--help")) {
    console.log(usage);
    process.exit(0);
  }
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    if (error instanceof TypeError) refuse(usage, error.message);
    throw error;
  }
}

/** An option's number. What is none ends the process: read as NaN or 0, a check would check nothing. */
export function readWholeNumber(usage: string, name: string, text: string): number {
  if (!/^\d{1,8}$/.test(text)) refuse(usage, `--${name} must be a whole number below 100 million.`);
  return Number(text);
}

/** Ends the process with what is wrong and how the command is used. */
export function refuse(usage: string, what: string): never {
  console.error(`${what}\n${usage}`);
  process.exit(1);
}

/** Does what the command is for; what the operator can mend is said in a sentence, faults of ours with their trace. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    const isExpected =
      error instanceof Refusal || error instanceof SettingsError || error instanceof StoreError;
    console.error(isExpected ? error.message : error);
    process.exitCode = 1;
  }
}
