/** Exit codes of the command `vodkeep`; docs/command-line.md explains them. Scripts rely on them. */
export const EXIT_CODES = {
  done: 0,
  failed: 1,
  /** Wrong arguments. */
  usage: 2,
  /** The service answered 401 or 403. */
  refused: 3,
  notFound: 4,
  /** The service cannot be reached. */
  unreachable: 5,
  /** A local file is not what the service stores. */
  mismatch: 6,
  /** Local files are right, but the service does not store some of them any more. */
  keptHereOnly: 7,
  /** Everything was done but what failed for good. */
  partly: 8,
  /** Wrong settings, as in sysexits.h. */
  settings: 78,
} as const;
export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

/** An expected end of a command: one sentence, and the code with which the program ends. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exitCode: ExitCode;
  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
