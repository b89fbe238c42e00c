import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Killable } from "./killable.ts";
import { killableNodeHost } from "./killable-node.ts";

/** Room for what one run archives. */
const DISK_GIB = 20;

/**
 * The node host on a disk of its own whose power goes with each kill: a file system in a file, which
 * forgets everything that was not synced (`shutdown` of xfs_io, ext4's and XFS's own test aid).
 * Needs Linux, root, losetup and xfsprogs.
 */
export function powerCutNode(folder: string): Killable {
  const image = join(folder, "disk.img");
  const disk = join(folder, "disk");
  mkdirSync(disk);
  writeFileSync(image, "");
  run("truncate", "--size", `${DISK_GIB}G`, image);
  run("mkfs.ext4", "-q", image);
  mount();
  const node = killableNodeHost(join(disk, "data"));

  function mount(): void {
    run("mount", "-o", "loop", image, disk);
  }

  return {
    ...node,
    async start(settings) {
      const child = await node.start(settings);
      return {
        ...child,
        async kill() {
          run("xfs_io", "-x", "-c", "shutdown", disk);
          await child.kill();
          run("umount", disk);
          mount();
        },
      };
    },
    // What the disk did not have yet is copied once more: what is written in a second or two.
    unrecordedBytes: UNSYNCED_BYTES,
    close: () => run("umount", disk),
  };
}

/** At the rig's pace of 40 MB/s for each archive, with a sync of 16 MiB and one of the log under way. */
const UNSYNCED_BYTES = 256 * 1024 * 1024;

function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { stdio: ["ignore", "ignore", "inherit"] });
}
