import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { CHROMIUM_LAUNCH } from "../scripts/testing/chromium.ts";
import components, { CONTEXT } from "./vitest.config.ts";

const FONTS = `${import.meta.dirname}/../scripts/testing/fonts`;

/** The pictures of the stories with other fonts of the system: they have to be the same. */
export default defineConfig({
  ...components,
  // Runs beside the tests of components, which write to the default folder.
  cacheDir: "../node_modules/.vite/fonts",
  test: {
    ...components.test,
    include: ["src/app/design/stories.browser.test.tsx"],
    testNamePattern: "1280 px, light",
    browser: {
      ...components.test?.browser,
      instances: ["none", "liberation", "japanese"].map((name) => ({
        browser: "chromium",
        name,
        provider: playwright({
          launchOptions: {
            ...CHROMIUM_LAUNCH,
            env: { ...process.env, FONTCONFIG_FILE: `${FONTS}/${name}.conf` },
          },
          contextOptions: CONTEXT,
        }),
      })),
    },
  },
});
