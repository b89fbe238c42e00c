/** Requests larger than this are refused with `too_large`; only tus PATCH bodies may be larger. */
export const MAX_BODY_BYTES = 64 * 1024;

/** One bulk call changes at most this many uploads, so that it answers within 2 s. */
export const MAX_BULK_IDS = 100;

/** Longer searches are refused: no title or name needs more, and long patterns cost time. */
export const MAX_SEARCH_LENGTH = 200;

export const MAX_BAN_REASON_LENGTH = 500;

/** A search's total is counted exactly up to here, then reported as capped. */
export const MAX_EXACT_SEARCH_TOTAL = 10_000;

export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;

export const DEFAULT_BROWSE_PAGE_SIZE = 25;
/** The usernames helper of the File Browser asks for this many (specification section 7). */
export const MAX_BROWSE_PAGE_SIZE = 1_000;

/** Deeper pages do not exist: a million rows at one row a page. */
export const MAX_PAGE = 1_000_000;

export const MAX_LOG_LINES = 100;

/** The debug panel shows the last five entries (specification section 9). */
export const PROGRESS_HISTORY_LENGTH = 5;

/** The upload list keeps at most this many rows on its live first page (specification section 4). */
export const LIVE_PAGE_SIZE = 20;
