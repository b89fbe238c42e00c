import { DatabaseError, type DatabaseErrorKind } from "#service/ports/database.ts";

/** SQLite's primary result codes (sqlite.org/rescode.html) that tell of the file, not of a statement. */
const KINDS: Readonly<Record<number, DatabaseErrorKind>> = {
  5: "unavailable", // BUSY: another program holds it
  6: "unavailable", // LOCKED
  7: "unavailable", // NOMEM
  8: "unavailable", // READONLY
  10: "unavailable", // IOERR
  11: "unavailable", // CORRUPT
  13: "full", // FULL
  14: "unavailable", // CANTOPEN
  15: "unavailable", // PROTOCOL: locks that cannot be had
  26: "unavailable", // NOTADB
};

/** The log's index finds no room on the disk, which is reported as an error of its own. */
const IOERR_SHMSIZE = 4_874;

const BUSY = 5;

/** The primary code is the lower byte of an extended one. */
const PRIMARY = 0xff;

/** What `node:sqlite` threw, as the port names it; anything else comes back as it is. */
export function asDatabaseError(error: unknown): unknown {
  const code = extendedCode(error);
  const kind = code === IOERR_SHMSIZE ? "full" : KINDS[code & PRIMARY];
  return kind === undefined || !(error instanceof Error)
    ? error
    : new DatabaseError(kind, error.message, { cause: error });
}

/** True when another connection kept a lock for as long as this one waits. */
export function isBusy(error: unknown): boolean {
  return (extendedCode(error) & PRIMARY) === BUSY;
}

function extendedCode(error: unknown): number {
  if (!(error instanceof Error) || !("errcode" in error)) return 0;
  return typeof error.errcode === "number" ? error.errcode : 0;
}
