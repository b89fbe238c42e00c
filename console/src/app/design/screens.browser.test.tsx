import type { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { commands, page } from "vitest/browser";
import { budgets } from "#contract/costs.ts";
import { dashboardStats } from "#contract/dashboard.ts";
import { session, setSignedOut } from "#console/lib/session-store.ts";
import { answerChannels } from "#console/testing/answer-channels.ts";
import { BUDGET } from "#console/testing/answer-dashboard.ts";
import { answerFull } from "#console/testing/answer-full.ts";
import { ALL_RULES, expectAccessible, LOOKS } from "#console/testing/expect-accessible.ts";
import { answerNotifications } from "#console/testing/answer-notifications.ts";
import { answerUploads } from "#console/testing/answer-uploads.ts";
import { expectPicture, useOnlyInter } from "#console/testing/expect-picture.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { CHANNELS } from "#console/testing/sample-channels.ts";
import { WATCHED } from "#console/testing/sample-uploads.ts";
import { scriptService } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";
import { SCREENS } from "../screens.ts";

// Loads the script of every part beforehand.
import.meta.glob(
  ["../{gates,layout}/*.tsx", "../../{features,ui}/**/*.tsx", "!**/*.browser.test.tsx"],
  { eager: true },
);

type Service = ReturnType<typeof scriptService>;

const ANSWERS: Readonly<Record<string, (service: Service) => void>> = {
  loading: ({ answerAll }) => answerAll(() => new Promise(() => undefined)),
  empty: (service) => {
    answerUploads(service);
    answerChannels(service);
    answerNotifications(service);
    service.answer(dashboardStats, () => ({
      uploads: {},
      users: { active: 1, total: 1 },
      storage: {},
    }));
    service.answer(budgets, () => ({ budgets: [BUDGET] }));
  },
  full: answerFull,
  failing: ({ answerAll }) => answerAll(() => new Response(null, { status: 400 })),
};

/** WCAG 1.4.10. */
const NARROWEST_PX = 320;

const TABLET_PX = 820;

const COST_TABS = ["overview", "alerts", "thresholds", "trends"];

const STATES = [
  ...Object.entries(SCREENS).flatMap(([name, { path }]) =>
    Object.entries(ANSWERS).map(([state, answer]) => ({
      id: `${name}-${state}`,
      address: path.replace("$uploadId", WATCHED).replace("$channelId", CHANNELS[0]?.id ?? ""),
      isLoading: state === "loading",
      answer,
      enter: signIn,
    })),
  ),
  ...COST_TABS.map((tab) => ({
    id: `costs-${tab}`,
    address: `/?cost=${tab}`,
    isLoading: false,
    answer: answerFull,
    enter: signIn,
  })),
  ...Object.entries({
    login: () => setSignedOut(false),
    checking: () => session.setState(() => ({ status: "loading" })),
    "access-denied": () => signIn([]),
    forbidden: () => signIn(["read:uploads"]),
  }).map(([id, enter]) => ({
    id,
    address: "/users",
    isLoading: false,
    answer: () => undefined,
    enter,
  })),
];

/** Also on a tablet, and there in forced colours. */
const IN_EVERY_LOOK = new Set(Object.keys(SCREENS).map((name) => `${name}-full`));

// The font decides how high a screen is.
beforeAll(useOnlyInter);
afterEach(async () => {
  vi.useRealTimers();
  await commands.forceColors(false);
});

describe.each(LOOKS)("$widthPx px, $theme:", ({ widthPx, theme, rules }) => {
  test.each(STATES)(
    "$id is accessible, does not overflow and matches its picture",
    async ({ id, address, isLoading, answer, enter }) => {
      vi.useFakeTimers({
        now: Date.parse("2026-11-23T12:00:00.000Z"),
        toFake: ["Date", "setInterval", "clearInterval"],
      });
      await page.viewport(widthPx, 800);
      document.documentElement.dataset["theme"] = theme;
      answer(scriptService());
      enter();
      const queryClient = mountConsole(address);
      await expect
        .poll(async () => (await isStill()) && isShown(queryClient, isLoading))
        .toBe(true);
      await expectAccessible(rules);
      // A part that is still being rendered makes the screen higher.
      await expect.poll(() => fitWindow(widthPx)).toBe(true);
      if (rules !== ALL_RULES) return;
      await expectPicture(`screens/${id}-${widthPx}-${theme}`);
      await page.viewport(NARROWEST_PX, 800);
      await expectAccessible(rules);
      if (theme !== "light" || !IN_EVERY_LOOK.has(id)) return;
      await page.viewport(TABLET_PX, 800);
      await expectAccessible(rules);
      await expect.poll(() => fitWindow(TABLET_PX)).toBe(true);
      await expectPicture(`screens/${id}-${TABLET_PX}-light`);
      await commands.forceColors(true);
      await expectPicture(`screens/${id}-${TABLET_PX}-forced`);
    },
  );
});

function isShown(queryClient: QueryClient, isLoading: boolean): boolean {
  const hasSkeleton = document.querySelector("main [data-skeleton]") !== null;
  const isFetching = queryClient.isFetching() > 0;
  const hasTitle = document.querySelector("h1") !== null;
  return hasTitle && hasSkeleton === isLoading && isFetching === isLoading;
}

/** Makes the window as high as the document. Returns whether it already was. */
async function fitWindow(widthPx: number): Promise<boolean> {
  const heightPx = document.documentElement.scrollHeight;
  if (heightPx === innerHeight && (await isStill())) return true;
  await page.viewport(widthPx, heightPx);
  return false;
}

/** Whether the document stays the same for two frames. */
async function isStill(): Promise<boolean> {
  const before = document.body.innerHTML;
  for (let frame = 0; frame < 2; frame += 1)
    await new Promise((resolve) => requestAnimationFrame(resolve));
  return document.body.innerHTML === before;
}
