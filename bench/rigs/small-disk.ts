import { spawnSync } from "node:child_process";
import { closeSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PIECE = new Uint8Array(64 * 1024).fill(1);

/**
 * A separate in-memory file system that can be filled. Needs Linux and root: null where mounting is
 * not permitted.
 */
export async function mountSmallDisk(sizeBytes: number) {
  const root = await mkdtemp(join(tmpdir(), "vodkeep-disk-"));
  const options = ["-t", "tmpfs", "-o", `size=${sizeBytes},mode=0700`, "vodkeep-rig", root];
  if (spawnSync("mount", options).status !== 0) {
    await rm(root, { recursive: true });
    return null;
  }
  const ballast = join(root, "ballast");
  function freeBytes(): number {
    const { bavail, bsize } = statfsSync(root);
    return bavail * bsize;
  }
  return {
    folder: join(root, "data"),
    /** Writes a filler file until no more than this is free. */
    fill(untilFreeBytes: number): void {
      const file = openSync(ballast, "a");
      try {
        for (;;) {
          const missing = Math.ceil(freeBytes() - untilFreeBytes);
          if (missing <= 0) return;
          writeSync(file, PIECE, 0, Math.min(missing, PIECE.byteLength));
        }
      } catch (error) {
        // The last page may have been taken meanwhile.
        if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
      } finally {
        closeSync(file);
      }
    },
    /** Removes the filler file. */
    clear: () => rmSync(ballast, { force: true }),
    async remove() {
      spawnSync("umount", ["--lazy", root]);
      await rm(root, { recursive: true, force: true });
    },
  };
}
