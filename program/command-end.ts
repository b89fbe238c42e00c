import { asDatabaseError } from "#hosts/node/database-error.ts";
import { fileErrorCode } from "#hosts/node/file-error.ts";
import { DatabaseError } from "#service/ports/database.ts";
import { StoreError } from "#service/ports/object-store.ts";
import { SettingsError } from "#service/settings.ts";
import { CommandError, EXIT_CODES, type ExitCode } from "./exit-codes.ts";

/** How a command ends that threw `thrown`: what is printed, a sentence or all details, and the code. */
export function endOf(thrown: unknown): { readonly said: unknown; readonly exitCode: ExitCode } {
  const error = asDatabaseError(thrown);
  if (error instanceof CommandError) return { said: error.message, exitCode: error.exitCode };
  if (error instanceof SettingsError)
    return {
      said: error.message,
      // What the machine refused may be different at the next start.
      exitCode: error.cause === undefined ? EXIT_CODES.settings : EXIT_CODES.failed,
    };
  if (error instanceof StoreError)
    return {
      said: `The object store cannot be used. ${error.message}.`,
      exitCode: EXIT_CODES.failed,
    };
  if (fileErrorCode(error) === "ENOSPC" && error instanceof Error)
    return { said: `The disk is full. ${error.message}.`, exitCode: EXIT_CODES.failed };
  // The operator's folder or permission, and not a fault of the program.
  if (/^E[A-Z]+$/.test(fileErrorCode(error) ?? "") && error instanceof Error)
    return { said: `${error.message}.`, exitCode: EXIT_CODES.failed };
  if (error instanceof DatabaseError)
    return {
      said: `The database cannot be used: ${error.message}.`,
      exitCode: EXIT_CODES.failed,
    };
  return { said: error, exitCode: EXIT_CODES.failed };
}
