/** Shown in the console's footer, in `/openapi.json` and in metrics. */
export const VERSION = "1.0.0";

/** Set by the bundlers. */
declare const BUILD_COMMIT: string | null | undefined;

/** The commit that this was built from; null if it was not built, or from no repository. */
export const COMMIT: string | null =
  typeof BUILD_COMMIT === "undefined" ? null : (BUILD_COMMIT ?? null);

/** Tells two builds of a version apart. */
export const BUILD = COMMIT === null ? VERSION : `${VERSION} (${COMMIT})`;
