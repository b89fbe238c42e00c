import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";

/**
 * Names the present start of the machine. Where the system does not tell, each process counts as a
 * start of its own, which costs some reading and is never wrong.
 */
export function readBootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return randomUUID();
  }
}
