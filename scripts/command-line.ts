import process from "node:process";
import { parseArgs, type ParseArgsConfig } from "node:util";

/**
 * Parses a command's options. `--help` prints the usage and ends the process. Unknown options and
 * other arguments end it with a failure: a mistyped `--dry-run` must not be ignored.
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

/** Parses a numeric option or ends the process: read as NaN or 0, a check would pass. */
export function readWholeNumber(usage: string, name: string, text: string): number {
  if (!/^\d{1,8}$/.test(text)) refuse(usage, `--${name} must be a whole number below 100 million.`);
  return Number(text);
}

/** Ends the process, printing the error and the usage. */
export function refuse(usage: string, what: string): never {
  console.error(`${what}\n${usage}`);
  process.exit(1);
}
