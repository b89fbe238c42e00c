import { siteStore } from "./browser-storage.ts";

/** Set once the first steps of a deployment are put away. */
export const FIRST_STEPS_KEY = "first_steps";

/** Preferences of this browser, whoever is signed in. */
const PREFERENCE_KEYS = ["theme", "single_key_shortcuts", "player", "page_size", FIRST_STEPS_KEY];

/**
 * Saves the browser's preferences; the returned function restores them. Needed around a sign-out,
 * which asks the browser to clear this site's storage.
 */
export function rememberPreferences(): () => void {
  const remembered = PREFERENCE_KEYS.map((key) => [key, siteStore.getItem(key)] as const);
  return () => {
    for (const [key, value] of remembered) if (value !== null) siteStore.setItem(key, value);
  };
}
