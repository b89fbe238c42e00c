import type { ObjectKey } from "#contract/files.ts";
import { StoreError } from "./object-store.ts";

/** What a file had when it was made: whoever changes it changes this. */
export type FileMark = {
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  /** Of a file that may not have its name yet: what has it, null for nothing. */
  readonly replaces?: FileMark | null | undefined;
};

/**
 * What became of a file that was to be made:
 * - `kept`: it is there as it should be.
 * - `edited`, `removed`: a person did that since it was made, and it stays so.
 * - `taken`: another file of that name is there, which stays. It has no mark.
 */
export type Placed =
  | { readonly outcome: "kept" | "edited" | "removed"; readonly mark: FileMark }
  | { readonly outcome: "taken" };

/**
 * `ready`: a new file is whole. Its mark is to be stored before it gets its name, so that one that a
 * crash leaves is known.
 */
export type Placing =
  | Placed
  | { readonly outcome: "ready"; readonly mark: FileMark; name(): Promise<Placed> };

/** Neither clones nor hard links lead from the store's disk to the library's. */
export class NeedsCopies extends StoreError {
  constructor(message: string) {
    super("denied", message);
  }
}

/**
 * A folder for other programs, in which the service makes files beside those of other people. A file
 * appears whole, never replaces one that the service did not make, and is removed only if nobody
 * changed it. Each call may be repeated after a crash at any moment. All throw `StoreError`.
 *
 * `made` is the mark that was stored last, null if the service made none. Paths are relative.
 */
export type LibraryFolder = {
  readonly path: string;
  /**
   * Makes sure that this is the folder of `owner`, which a mark in it names. Only `isNew` marks one
   * without: a disk that is not mounted has none.
   * @throws {StoreError} `unmarked`, `foreign`
   */
  open(owner: string, isNew: boolean): Promise<void>;
  /**
   * The bytes of a stored object, without storing them twice where the file system can do that.
   * @throws {NeedsCopies} where it cannot, and the host may not copy
   */
  place(key: ObjectKey, path: string, made: FileMark | null, signal: AbortSignal): Promise<Placing>;
  write(path: string, content: string | Uint8Array, made: FileMark | null): Promise<Placing>;
  /** Removes the file if it is still the one that was made, and the folders that this empties. */
  remove(path: string, made: FileMark): Promise<void>;
};
