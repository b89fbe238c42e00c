import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { type Backups, backUpNow, readBackups } from "#contract/backups.ts";
import { ALL_RULES, expectAccessible } from "#console/testing/expect-accessible.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { scriptService } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";

const MADE = { last: { at: "2026-11-23T03:00:00.000Z", sizeBytes: 2_048 }, kept: 14 };
const AT = "2026-11-22T03:00:00.000Z";

test.each<[string, Partial<Backups>, readonly RegExp[]]>([
  ["none was made", {}, [/^None yet$/, /^Not yet$/]],
  [
    "all is well",
    { ...MADE, test: { at: AT, backupAt: AT, uploads: 1, files: 12 } },
    [/, 2 KB$/, /^14 backups, in the store under backups\/$/, /, 1 upload, 12 files$/],
  ],
  [
    "none was made for two days",
    { ...MADE, isOverdue: true },
    [/^No backup was made for two days/],
  ],
  [
    "one failed",
    {
      failure: { sinceAt: AT, text: "The key may not write." },
      testFailure: { isDamaged: true, text: "Its SHA-256 differs." },
    },
    [
      /^The last backup failed: The key may not write\.$/,
      /could not be restored in a test: Its SHA-256/,
    ],
  ],
  [
    "a test was not possible",
    { testFailure: { isDamaged: false, text: "The store is away." } },
    [/^The newest backup could not be tested: The store is away\.$/],
  ],
  [
    "the host keeps a history",
    { kind: "history", dueAt: null },
    [/^D1 Time Travel/, /^npx wrangler/],
  ],
])("the card says when %s", async (_state, changes, texts) => {
  const service = scriptService();
  signIn();
  service.answer(readBackups, () => ({ dueAt: "2026-11-24T03:00:00.000Z", ...changes }));
  mountConsole("/system?view=backups");
  for (const text of texts) await expect.element(page.getByText(text)).toBeVisible();
  const button = page.getByRole("button", { name: "Back Up Now" });
  await expect.element(button).toHaveLength(changes.kind === "history" ? 0 : 1);
  await expectAccessible(ALL_RULES);
});

test("one is made on request", async () => {
  const service = scriptService();
  signIn();
  let isRunning = false;
  service.answer(readBackups, () => ({ isRunning }));
  service.answer(backUpNow, () => {
    isRunning = true;
    return { isStarted: true };
  });
  mountConsole("/system?view=backups");
  await page.getByRole("button", { name: "Back Up Now" }).click();
  const button = page.getByRole("button", { name: "Back Up Now" });
  await expect.element(button).toHaveAttribute("aria-busy", "true");
  isRunning = false;
  await expect.element(button).not.toHaveAttribute("aria-busy", "true");
});
