import { formatBytes } from "#contract/format-bytes.ts";
import { Mp4Error } from "./mp4-error.ts";

/** Where an MP4 file is written. */
export type Mp4Target = {
  readonly file: FileSystemFileHandle;
  /** A copy in the origin's private file system, which the browser then downloads. */
  readonly isTemporary: boolean;
  /** Removes the file; a temporary one also once it was downloaded. */
  readonly discard: () => Promise<void>;
};

/** File System Access API, Chromium only (https://wicg.github.io/file-system-access/). */
type SavePicker = (options: {
  readonly suggestedName: string;
  readonly types: readonly { readonly accept: Readonly<Record<string, readonly string[]>> }[];
}) => Promise<FileSystemFileHandle & { readonly remove?: () => Promise<void> }>;

declare global {
  interface Window {
    readonly showSaveFilePicker?: SavePicker;
  }
}

/** Of all tabs, one writes a temporary file at a time, so that any found before it is a leftover. */
const TEMPORARY = "vodkeep-mp4";

/**
 * Asks where to save. Browsers without a file picker write a temporary file first.
 * @returns null if the user closed the picker
 * @throws {Mp4Error} if this browser can't save the file
 */
export async function chooseTarget(name: string, sizeBytes: number): Promise<Mp4Target | null> {
  if (window.showSaveFilePicker === undefined) return openTemporaryFile(name, sizeBytes);
  try {
    const file = await window.showSaveFilePicker({
      suggestedName: name,
      types: [{ accept: { "video/mp4": [".mp4"] } }],
    });
    return { file, isTemporary: false, discard: async () => file.remove?.() };
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return null;
    throw error;
  }
}

async function openTemporaryFile(name: string, sizeBytes: number): Promise<Mp4Target> {
  // Absent on pages that came neither over https nor from this computer, and in private windows.
  if (!("locks" in navigator)) throw new Mp4Error("MP4 files can be saved over https only.");
  const unlock = await lock();
  if (unlock === null)
    throw new Mp4Error("Another tab is saving an MP4 file. Wait for it to finish.");
  try {
    const root = await navigator.storage.getDirectory();
    await removeTemporary(root);
    await requireSpace(sizeBytes);
    const folder = await root.getDirectoryHandle(TEMPORARY, { create: true });
    const file = await folder.getFileHandle(name, { create: true });
    const discard = async () => {
      await removeTemporary(root);
      unlock();
    };
    return { file, isTemporary: true, discard };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Resolves with what ends the lock, or null if another tab has it. */
function lock(): Promise<(() => void) | null> {
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(TEMPORARY, { ifAvailable: true }, (granted) => {
        if (granted === null) return resolve(null);
        return new Promise<void>((unlock) => resolve(unlock));
      })
      .catch(reject);
  });
}

async function removeTemporary(root: FileSystemDirectoryHandle): Promise<void> {
  try {
    await root.removeEntry(TEMPORARY, { recursive: true });
  } catch (error) {
    if (!(error instanceof DOMException && error.name === "NotFoundError")) throw error;
  }
}

/** Asks for more if the browser's usual share of the disk does not suffice. */
async function requireSpace(sizeBytes: number): Promise<void> {
  let freeBytes = await freeSpaceBytes();
  if (freeBytes < sizeBytes && (await navigator.storage.persist()))
    freeBytes = await freeSpaceBytes();
  if (freeBytes < sizeBytes)
    throw new Mp4Error(
      `This browser first writes a copy of ${formatBytes(sizeBytes)}, but has room for only ${formatBytes(freeBytes)}. Use Chrome or Edge, which save the file directly.`,
    );
}

async function freeSpaceBytes(): Promise<number> {
  const { quota = 0, usage = 0 } = await navigator.storage.estimate();
  return quota - usage;
}
