/** Requests larger than this are refused with `too_large`; only tus PATCH bodies may be larger. */
export const MAX_BODY_BYTES = 64 * 1024;

/** One bulk call changes at most this many uploads, so that it answers within 2 s. */
export const MAX_BULK_IDS = 100;

/**
 * One bulk call deletes at most this many files: with what lies beside each, that is what one sweep
 * over the store removes at once.
 */
export const MAX_BULK_FILES = 25;

/**
 * One export holds at most this many audit entries, about 25 MB: the list of their numbers is read
 * at once, so that what is written meanwhile shifts nothing.
 */
export const MAX_AUDIT_EXPORT = 50_000;

/** Longer searches are refused: no title or name needs more, and long patterns cost time. */
export const MAX_SEARCH_LENGTH = 200;

export const MAX_BAN_REASON_LENGTH = 500;

/** One administrator's saved views: more than that nobody finds again in a menu. */
export const MAX_SAVED_VIEWS = 50;
export const MAX_VIEW_NAME_LENGTH = 60;
/** Room for the longest search in percent-encoding, and for every other filter. */
export const MAX_VIEW_SEARCH_LENGTH = 2_000;

/** A search's total is counted exactly up to here, then reported as capped. */
export const MAX_EXACT_SEARCH_TOTAL = 10_000;

export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;

export const DEFAULT_BROWSE_PAGE_SIZE = 25;
/** The usernames helper of the File Browser asks for this many (docs/console.md#pages). */
export const MAX_BROWSE_PAGE_SIZE = 1_000;

/** Deeper pages do not exist: a million rows at one row a page. */
export const MAX_PAGE = 1_000_000;

export const MAX_LOG_LINES = 100;

/** The debug panel shows the last five entries (docs/console.md#warnings). */
export const PROGRESS_HISTORY_LENGTH = 5;

/**
 * The upload list keeps at most this many rows on its live first page
 * (docs/console.md#live-updates).
 */
export const LIVE_PAGE_SIZE = 20;

/** Sparklines show two weeks: a weekday can be compared with the one before. */
export const HISTORY_DAYS = 14;
