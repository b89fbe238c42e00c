import "#console/app/tokens.css";
import { afterEach, beforeEach } from "vitest";
import { page } from "vitest/browser";
import { siteStore } from "#console/lib/browser-storage.ts";
import { FIRST_STEPS_KEY } from "#console/lib/preferences.ts";
import { surprises, takeSurprises } from "./console-messages.ts";

/*
 * Setup of every test file in the browser. Vitest itself fails on uncaught errors and unhandled
 * rejections; this adds messages on the console and requests that no test answers.
 */

for (const level of ["error", "warn"] as const)
  console[level] = (...words: unknown[]) => {
    surprises.push(`console.${level}: ${words.map(String).join(" ")}`);
  };

beforeEach(async () => {
  localStorage.clear();
  sessionStorage.clear();
  siteStore.setItem(FIRST_STEPS_KEY, "away");
  document.documentElement.lang = "en";
  delete document.documentElement.dataset["theme"];
  await page.viewport(1280, 800);
});

afterEach(() => {
  const found = takeSurprises();
  if (found.length > 0) throw new Error(found.join("; "));
});
