import * as z from "zod/mini";

type TextStore = {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
  /** False for a value that only memory holds. */
  isKept(key: string): boolean;
};

/** Kept by the browser, shared by all tabs of this site. */
export const siteStore = createTextStore(() => localStorage);
/** Kept by the browser until this tab is closed. */
export const tabStore = createTextStore(() => sessionStorage);

/** In the tab's store: the code of the first setup, while Vodkeep accepts it. */
export const SETUP_CODE_KEY = "setup_code";

/**
 * A browser may block the storage of a site, or refuse to write: then the values last in memory
 * until the page is left.
 */
function createTextStore(open: () => Storage): TextStore {
  const memory = new Map<string, string>();
  return {
    getItem(key) {
      try {
        return memory.get(key) ?? open().getItem(key);
      } catch {
        return null;
      }
    },
    setItem(key, value) {
      try {
        open().setItem(key, value);
        memory.delete(key);
      } catch {
        memory.set(key, value);
      }
    },
    removeItem(key) {
      memory.delete(key);
      try {
        open().removeItem(key);
      } catch {
        // Nothing was kept.
      }
    },
    isKept: (key) => !memory.has(key),
  };
}

/** What the site's store holds as JSON; `absent` if it holds nothing of this form. */
export function storedValue<T>(key: string, schema: z.ZodMiniType<T>, absent: T): T {
  try {
    return z.parse(schema, JSON.parse(siteStore.getItem(key) ?? ""));
  } catch {
    return absent;
  }
}
