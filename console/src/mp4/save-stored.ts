import type { ObjectKey } from "#contract/files.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { toast } from "#console/ui/toast-store.ts";
import type * as FileSaves from "./file-saves.ts";

/** The queue of files to save, and what writes them, load when something is saved. */
export async function withSaves(save: (saves: typeof FileSaves) => Promise<void>): Promise<void> {
  try {
    await save(await import("./file-saves.ts"));
  } catch (error) {
    toast.error(messageOf(error));
  }
}

export function saveAsMp4(fileKey: ObjectKey, clip?: FileSaves.SavedClip): Promise<void> {
  return withSaves((saves) => saves.saveAsMp4(fileKey, clip));
}
