import { formatBytes } from "#contract/format-bytes.ts";
import { Mp4Error } from "./mp4-error.ts";

/** A file that is being written. */
export type SaveTarget = {
  readonly file: FileSystemFileHandle;
  /** A copy in the origin's private file system, which the browser then downloads. */
  readonly isTemporary: boolean;
  /** Removes the file; a temporary one also once it was downloaded. */
  readonly discard: () => Promise<void>;
};

/** What the user chose; `downloads` in browsers without pickers. */
export type SavePlace =
  | { readonly kind: "file"; readonly file: RemovableFile }
  | { readonly kind: "folder"; readonly folder: FileSystemDirectoryHandle }
  | { readonly kind: "downloads" };

type RemovableFile = FileSystemFileHandle & { readonly remove?: () => Promise<void> };

/** File System Access API, Chromium only (https://wicg.github.io/file-system-access/). */
declare global {
  interface Window {
    readonly showSaveFilePicker?: (options: {
      readonly suggestedName: string;
      readonly types: readonly { readonly accept: Readonly<Record<string, readonly string[]>> }[];
    }) => Promise<RemovableFile>;
    readonly showDirectoryPicker?: (options: {
      readonly id: string;
      readonly mode: "readwrite";
    }) => Promise<FileSystemDirectoryHandle>;
  }
}

/** Of all tabs, one has temporary files, so that any found before its first is a leftover. */
const TEMPORARY = "vodkeep-mp4";

const temporaryNames = new Set<string>();
let unlock: (() => void) | null = null;

/** Asks where to save an MP4 file; null if the user closed the picker. */
export async function chooseFile(name: string): Promise<SavePlace | null> {
  const { showSaveFilePicker } = window;
  if (showSaveFilePicker === undefined) return { kind: "downloads" };
  const accept = { "video/mp4": [".mp4"] };
  const file = await orClosed(showSaveFilePicker({ suggestedName: name, types: [{ accept }] }));
  return file && { kind: "file", file };
}

/** Asks for a folder; null if the user closed the picker. */
export async function chooseFolder(): Promise<SavePlace | null> {
  const { showDirectoryPicker } = window;
  if (showDirectoryPicker === undefined) return { kind: "downloads" };
  const folder = await orClosed(showDirectoryPicker({ id: "vodkeep", mode: "readwrite" }));
  return folder && { kind: "folder", folder };
}

async function orClosed<Handle>(picking: Promise<Handle>): Promise<Handle | null> {
  try {
    return await picking;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return null;
    throw error;
  }
}

/** Makes the file. @throws {Mp4Error} if this browser can't save it */
export async function openTarget(
  place: SavePlace,
  name: string,
  sizeBytes: number,
): Promise<SaveTarget> {
  if (place.kind === "downloads") return openTemporaryFile(sizeBytes);
  if (place.kind === "folder") return openInFolder(place.folder, name);
  const { file } = place;
  return { file, isTemporary: false, discard: async () => file.remove?.() };
}

/** Replaces nothing: a name that is taken gets a number. */
async function openInFolder(folder: FileSystemDirectoryHandle, name: string): Promise<SaveTarget> {
  const taken = new Set<string>();
  for await (const each of folder.keys()) taken.add(each.toLowerCase());
  const [, stem = name, ending = ""] = /^(.*?)(\.\w{1,4})?$/.exec(name) ?? [];
  let free = name;
  for (let copy = 2; taken.has(free.toLowerCase()); copy += 1) free = `${stem} (${copy})${ending}`;
  const file = await folder.getFileHandle(free, { create: true });
  return { file, isTemporary: false, discard: () => folder.removeEntry(free) };
}

async function openTemporaryFile(sizeBytes: number): Promise<SaveTarget> {
  // Absent on pages that came neither over https nor from this computer, and in private windows.
  if (!("locks" in navigator)) throw new Mp4Error("MP4 files can be saved over https only.");
  unlock ??= await lock();
  if (unlock === null)
    throw new Mp4Error("Another tab is saving an MP4 file. Wait for it to finish.");
  const root = await navigator.storage.getDirectory();
  if (temporaryNames.size === 0) await removeTemporary(root);
  const folder = await root.getDirectoryHandle(TEMPORARY, { create: true });
  const name = crypto.randomUUID();
  const file = await folder.getFileHandle(name, { create: true });
  temporaryNames.add(name);
  const discard = async () => {
    if (!temporaryNames.delete(name)) return;
    if (temporaryNames.size > 0) return folder.removeEntry(name);
    await removeTemporary(root);
    unlock?.();
    unlock = null;
  };
  try {
    await requireSpace(sizeBytes);
  } catch (error) {
    await discard();
    throw error;
  }
  return { file, isTemporary: true, discard };
}

/** Resolves with what ends the lock, or null if another tab has it. */
function lock(): Promise<(() => void) | null> {
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(TEMPORARY, { ifAvailable: true }, (granted) => {
        if (granted === null) return resolve(null);
        return new Promise<void>((end) => resolve(end));
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
