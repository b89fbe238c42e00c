/** Requests larger than this are refused with `too_large`; only tus PATCH bodies may be larger. */
export const MAX_BODY_BYTES = 64 * 1024;

/** Limit of a thumbnail made in the browser: with base64, its request fits into MAX_BODY_BYTES. */
export const MAX_SENT_THUMBNAIL_BYTES = 45_000;

/** Limit of a bulk call, so that it answers within 2 s. */
export const MAX_BULK_IDS = 100;

/**
 * Limit of files deleted by a bulk call: with their companion objects, as many as one sweep over
 * the store removes.
 */
export const MAX_BULK_FILES = 25;

/** Files that a simulated retention lists; it counts them all. */
export const MAX_SIMULATED_FILES = 500;

/**
 * Limit of entries in an audit export, about 25 MB. Their numbers are read at once, so that
 * concurrent writes shift nothing.
 */
export const MAX_AUDIT_EXPORT = 50_000;

/** Longer searches are refused: no title or name needs more, and long patterns are slow. */
export const MAX_SEARCH_LENGTH = 200;

export const MAX_BAN_REASON_LENGTH = 500;

/** Limit of the reason why an administrator holds the rights to a channel's videos. */
export const MAX_RIGHTS_REASON_LENGTH = 200;

/** Above this number, a search's total is reported as capped. */
export const MAX_EXACT_SEARCH_TOTAL = 1_000;

/** The most rows that can be selected beyond one page. */
export const MAX_SELECTED = 10_000;

/** Storage is rated as nearly full above this share of its capacity. */
export const R2_WARNING_PERCENT = 80;

export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;

export const DEFAULT_BROWSE_PAGE_SIZE = 25;
/** Page size of the File Browser's usernames helper (docs/console.md#pages). */
export const MAX_BROWSE_PAGE_SIZE = 1_000;

/** Deeper pages do not exist: a million rows at one row per page. */
export const MAX_PAGE = 1_000_000;

export const MAX_LOG_LINES = 100;

/** The debug panel shows the last five entries (docs/console.md#warnings). */
export const PROGRESS_HISTORY_LENGTH = 5;

/** Maximum rows of the upload list's live first page (docs/console.md#live-updates). */
export const LIVE_PAGE_SIZE = 20;

/** Longest address of a direct URL. */
export const MAX_SOURCE_ADDRESS_LENGTH = 2_048;

/** As many names as Twitch looks up at once (Helix, Get Users). */
export const MAX_CHANNELS_ADDED = 100;
/** Names that are looked up before they are added; each costs up to five requests to Twitch. */
export const MAX_CHANNELS_FOUND = 5;

export const MAX_RULE_WORDS = 20;
export const MAX_RULE_WORD_LENGTH = 100;

/** Of an API token or a webhook. Fits into one line of the audit log. */
export const MAX_TOKEN_NAME_LENGTH = 60;
