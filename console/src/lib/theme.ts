import { siteStore } from "./browser-storage.ts";
import { useSyncExternalStore } from "react";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** Read by `boot.js` before the first paint. */
const THEME_KEY = "theme";
const listeners = new Set<() => void>();

function currentTheme(): Theme {
  const stored = document.documentElement.dataset["theme"];
  return stored === "light" || stored === "dark" ? stored : "system";
}

export function chooseTheme(theme: Theme): void {
  if (theme === "system") {
    delete document.documentElement.dataset["theme"];
    siteStore.removeItem(THEME_KEY);
  } else {
    document.documentElement.dataset["theme"] = theme;
    siteStore.setItem(THEME_KEY, theme);
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, currentTheme);
}
