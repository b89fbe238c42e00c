import { playwright } from "@vitest/browser-playwright";
import { openTab, type Tab } from "./firefox.ts";

/** Lets Vitest run tests in Debian's Firefox; they cannot use Playwright's locators. */
export const tabProvider: ReturnType<typeof playwright> = {
  ...playwright(),
  name: "tab",
  providerFactory: () => {
    const tabs: Tab[] = [];
    return {
      name: "tab",
      supportsParallelism: false,
      getCommandsContext: () => ({}),
      openPage: async (_session, url) => {
        const tab = await openTab();
        tabs.push(tab);
        await tab.open(url);
      },
      close: async () => {
        await Promise.all(tabs.splice(0).map(async (tab) => tab.close()));
      },
    };
  },
};
