import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Killable } from "./killable.ts";
import { killableNodeHost } from "./killable-node.ts";

/** Space for the archives of one run. */
const DISK_GIB = 20;

/**
 * The node host on a separate disk that loses power with each kill: a file system in a file that
 * drops all unsynced data (`shutdown` of xfs_io, the test tool of ext4 and XFS). Needs Linux, root,
 * losetup and xfsprogs.
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
    // Unsynced data is copied again: the writes of a second or two.
    unrecordedBytes: UNSYNCED_BYTES,
    close: () => run("umount", disk),
  };
}

/** At the rig's 40 MB/s per archive, while 16 MiB and the log are being synced. */
const UNSYNCED_BYTES = 256 * 1024 * 1024;

function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { stdio: ["ignore", "ignore", "inherit"] });
}
