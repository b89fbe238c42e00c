import { playwright } from "@vitest/browser-playwright";
import { openTab, type Tab } from "./web-driver.ts";

/** Lets Vitest run tests in a browser that Playwright cannot drive; they cannot use its locators. */
export const tabProvider: ReturnType<typeof playwright> = {
  ...playwright(),
  name: "tab",
  providerFactory: ({ config }) => {
    const tabs: Tab[] = [];
    return {
      name: "tab",
      supportsParallelism: false,
      getCommandsContext: () => ({}),
      openPage: async (_session, url) => {
        const tab = await openTab(config.browser.name);
        tabs.push(tab);
        await tab.open(url);
      },
      close: async () => {
        await Promise.all(tabs.splice(0).map(async (tab) => tab.close()));
      },
    };
  },
};
