import axe from "axe-core";
import { describe, expect, test, vi } from "vitest";
import { page, server } from "vitest/browser";
import { expectPicture } from "#console/testing/expect-picture.ts";
import { mount } from "#console/testing/mount.tsx";
import { signIn } from "#console/testing/sign-in.ts";
import { Card } from "#console/ui/card.tsx";
import { STORY_GROUPS } from "./stories.ts";

/** WCAG 2.2 AA; `target-size` runs only when its tag is named. */
const ALL_RULES: axe.RunOnly = {
  type: "tag",
  values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
};

/** The subset that depends on the theme. */
const COLOUR_RULES: axe.RunOnly = {
  type: "rule",
  values: ["color-contrast", "link-in-text-block"],
};

const LOOKS = [
  { widthPx: 1280, theme: "light", rules: ALL_RULES },
  { widthPx: 390, theme: "dark", rules: ALL_RULES },
  { widthPx: 1280, theme: "dark", rules: COLOUR_RULES },
  { widthPx: 390, theme: "light", rules: COLOUR_RULES },
] as const;

/** The other browsers repeat no rules. */
const looks = LOOKS.filter(({ rules }) => server.browser === "chromium" || rules === ALL_RULES);

describe.each(looks)("$widthPx px, $theme:", ({ widthPx, theme, rules }) => {
  describe.each(STORY_GROUPS)("$title:", ({ stories }) => {
    test.each(stories)(
      '"$title" is accessible, fits and looks as before',
      async ({ id, Story }) => {
        await page.viewport(widthPx, 800);
        document.documentElement.dataset["theme"] = theme;
        signIn();
        mount(
          <main>
            <Card>
              <Story />
            </Card>
          </main>,
        );
        await vi.waitFor(() => expect(document.querySelector("main")).toBeVisible());
        await expectFine(rules);
        if (await opensSomething()) await expectFine(rules);
        if (server.browser === "chromium") await expectPicture(`${id}-${widthPx}-${theme}`);
      },
    );
  });
});

/** Presses the story's opener, if it has one. */
async function opensSomething(): Promise<boolean> {
  const opener = document.querySelector<HTMLElement>("main [aria-haspopup]");
  if (opener === null) return false;
  opener.click();
  const role = opener.ariaHasPopup ?? "";
  const opened = `[role="${role}"]:popover-open, ${role}[open]`;
  await vi.waitFor(() => expect(document.querySelector(opened)).toBeVisible());
  return true;
}

async function expectFine(rules: axe.RunOnly): Promise<void> {
  await Promise.all(finiteAnimations().map(async ({ finished }) => finished));
  const { scrollWidth, clientWidth } = document.documentElement;
  const { violations } = await axe.run(document, { runOnly: rules, resultTypes: ["violations"] });
  const found = violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]);
  expect({ overflowPx: scrollWidth - clientWidth, found }).toEqual({ overflowPx: 0, found: [] });
}

/** axe would measure a fading colour midway. */
function finiteAnimations(): Animation[] {
  return document
    .getAnimations()
    .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
}
