import { mkdtempDisposable, type DisposableTempDir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Creates a temporary folder for one test. */
export async function makeTemporaryFolder(): Promise<DisposableTempDir> {
  return await mkdtempDisposable(join(tmpdir(), "vodkeep-test-"));
}
