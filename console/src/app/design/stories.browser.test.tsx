import axe from "axe-core";
import { describe, expect, test } from "vitest";
import { page } from "vitest/browser";
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
  { widthPx: 1280, theme: "dark", rules: COLOUR_RULES },
  { widthPx: 390, theme: "dark", rules: ALL_RULES },
  { widthPx: 390, theme: "light", rules: COLOUR_RULES },
] as const;

for (const { title: component, stories } of STORY_GROUPS)
  describe(`${component}:`, () => {
    for (const { title, Story } of stories)
      test(`"${title}" is accessible and fits, wide and narrow, light and dark`, async () => {
        signIn();
        mount(
          <main>
            <Card>
              <Story />
            </Card>
          </main>,
        );
        await expect.element(page.getByRole("main")).toBeVisible();
        await expectFine();
        const opener = document.querySelector<HTMLElement>("main [aria-haspopup]");
        if (opener === null) return;
        opener.click();
        await expect.element(page.getByRole(opener.ariaHasPopup ?? "none")).toBeVisible();
        await expectFine();
      });
  });

async function expectFine(): Promise<void> {
  for (const { widthPx, theme, rules } of LOOKS) {
    await page.viewport(widthPx, 800);
    document.documentElement.dataset["theme"] = theme;
    await Promise.all(finiteAnimations().map(async ({ finished }) => finished));
    const { scrollWidth, clientWidth } = document.documentElement;
    const { violations } = await axe.run(document, { runOnly: rules, resultTypes: ["violations"] });
    const found = violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]);
    expect({ widthPx, theme, overflowPx: scrollWidth - clientWidth, found }).toEqual({
      widthPx,
      theme,
      overflowPx: 0,
      found: [],
    });
  }
}

/** axe would measure a fading colour midway. */
function finiteAnimations(): Animation[] {
  return document
    .getAnimations()
    .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
}
