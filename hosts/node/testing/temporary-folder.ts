import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Creates a temporary folder for one test. */
export async function makeTemporaryFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "vodkeep-test-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
