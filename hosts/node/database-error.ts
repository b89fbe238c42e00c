import { DatabaseError, type DatabaseErrorKind } from "#service/ports/database.ts";

/** Primary result codes (sqlite.org/rescode.html) that concern the file, not a statement. */
const KINDS: Readonly<Record<number, DatabaseErrorKind>> = {
  5: "unavailable", // BUSY: another program holds it
  6: "unavailable", // LOCKED
  7: "unavailable", // NOMEM
  8: "unavailable", // READONLY
  10: "unavailable", // IOERR
  11: "unavailable", // CORRUPT
  13: "full", // FULL
  14: "unavailable", // CANTOPEN
  15: "unavailable", // PROTOCOL: locking failed
  26: "unavailable", // NOTADB
};

/** No disk space for the log's index has a separate extended code. */
const IOERR_SHMSIZE = 4_874;

const BUSY = 5;

/** The primary code is the low byte of an extended one. */
const PRIMARY = 0xff;

/** Converts errors of `node:sqlite` to the port's; returns others unchanged. */
export function asDatabaseError(error: unknown): unknown {
  const code = extendedCode(error);
  const kind = code === IOERR_SHMSIZE ? "full" : KINDS[code & PRIMARY];
  return kind === undefined || !(error instanceof Error)
    ? error
    : new DatabaseError(kind, error.message, { cause: error });
}

/** True when another connection held a lock for longer than this one waits. */
export function isBusy(error: unknown): boolean {
  return (extendedCode(error) & PRIMARY) === BUSY;
}

const CORRUPT = 11;
const NOTADB = 26;

/** True when the bytes of the file are not a sound database. */
export function isDamage(error: unknown): boolean {
  const code = extendedCode(error) & PRIMARY;
  return code === CORRUPT || code === NOTADB;
}

function extendedCode(error: unknown): number {
  if (!(error instanceof Error) || !("errcode" in error)) return 0;
  return typeof error.errcode === "number" ? error.errcode : 0;
}
