/** Permitted differences between stores. */
export type ObjectStoreTraits = {
  /** Amazon S3 and others join parts of any size. */
  readonly refusesUnequalParts: boolean;
  /** S3 lists neither content type nor metadata. */
  readonly listsMetadata: boolean;
  /** R2's binding and R2's emulator of S3 do not list unfinished uploads. */
  readonly listsMultiparts: boolean;
  /** The R2 emulator's part tags are random. */
  readonly partTagsAreDigests: boolean;
};
