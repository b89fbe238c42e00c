import { fstatSync } from "node:fs";
import process from "node:process";

/**
 * Whether systemd's journal reads an output of this process: JOURNAL_STREAM names its device and
 * inode, and is inherited by processes whose output goes elsewhere (systemd.exec(5)).
 */
export function isReadByJournal(fileDescriptor: 1 | 2): boolean {
  const stream = process.env["JOURNAL_STREAM"];
  if (stream === undefined) return false;
  const { dev, ino } = fstatSync(fileDescriptor);
  return stream === `${dev}:${ino}`;
}
