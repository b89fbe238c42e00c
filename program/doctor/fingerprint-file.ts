import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Fingerprint, fingerprintSchema } from "#service/doctor/fingerprint.ts";

/** Null before the first run, and for a file that cannot be read. */
export function readFingerprint(dataFolder: string): Fingerprint | null {
  try {
    const text = readFileSync(pathIn(dataFolder), "utf8");
    return fingerprintSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

export function saveFingerprint(dataFolder: string, fingerprint: Fingerprint): void {
  if (!existsSync(dataFolder)) mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const path = pathIn(dataFolder);
  writeFileSync(`${path}.new`, `${JSON.stringify(fingerprint, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

function pathIn(dataFolder: string): string {
  return join(dataFolder, "doctor.json");
}
