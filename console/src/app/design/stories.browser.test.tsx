import { beforeAll, describe, expect, test } from "vitest";
import { page, server } from "vitest/browser";
import { ALL_RULES, expectAccessible, LOOKS } from "#console/testing/expect-accessible.ts";
import { expectPicture, useOnlyInter } from "#console/testing/expect-picture.ts";
import { mount } from "#console/testing/mount.tsx";
import { signIn } from "#console/testing/sign-in.ts";
import { Card } from "#console/ui/card.tsx";
import { VisuallyHidden } from "#console/ui/visually-hidden.tsx";
import { STORY_GROUPS } from "./stories.ts";

// Some components measure their text once, when it first appears.
beforeAll(useOnlyInter);

describe.each(LOOKS)("$widthPx px, $theme:", ({ widthPx, theme, rules }) => {
  describe.each(STORY_GROUPS)("$title:", ({ title, stories }) => {
    test.each(stories)(
      "$title is accessible, does not overflow and matches its picture",
      async ({ id, Story }) => {
        await page.viewport(widthPx, 800);
        document.documentElement.dataset["theme"] = theme;
        signIn();
        mount(
          <main>
            <h1>
              <VisuallyHidden>{title}</VisuallyHidden>
            </h1>
            <Card>
              <Story />
            </Card>
          </main>,
        );
        await expect.poll(() => document.querySelector("main")).toBeVisible();
        await expectAccessible(rules);
        if (await opensSomething()) await expectAccessible(rules);
        if (server.browser === "chromium" && rules === ALL_RULES)
          await expectPicture(`${id}-${widthPx}-${theme}`);
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
  await expect.poll(() => document.querySelector(opened)).toBeVisible();
  return true;
}
