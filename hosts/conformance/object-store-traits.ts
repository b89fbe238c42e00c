/** Where stores may differ. */
export type ObjectStoreTraits = {
  /** Amazon's and others' S3 joins parts of any size. */
  readonly refusesUnequalParts: boolean;
  /** S3 lists neither content type nor metadata. */
  readonly listsMetadata: boolean;
  /** R2's binding and R2's emulator of S3 do not list unfinished uploads. */
  readonly listsMultiparts: boolean;
  /** R2's emulator gives out parts' tags that say nothing. */
  readonly partTagsAreDigests: boolean;
};
