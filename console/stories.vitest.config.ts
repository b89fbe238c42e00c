import { defineConfig } from "vitest/config";
import { tabProvider } from "../scripts/testing/tab-provider.ts";
import components from "./vitest.config.ts";

/** The stories in Debian's Firefox. */
export default defineConfig({
  ...components,
  // Runs beside the tests of components, which write to the default folder.
  cacheDir: "../node_modules/.vite/stories",
  test: {
    ...components.test,
    include: ["src/app/design/stories.browser.test.tsx"],
    browser: {
      ...components.test?.browser,
      provider: tabProvider,
      // The test's frame already has the size; the window is larger.
      commands: { __vitest_viewport: () => undefined },
      instances: [{ browser: "firefox" }],
    },
  },
});
