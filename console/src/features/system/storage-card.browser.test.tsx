import { beforeEach, expect, test } from "vitest";
import { page } from "vitest/browser";
import { fileStats } from "#contract/files.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { scriptService } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";

const KB = 1_024;
const STATS = {
  totalFiles: 13,
  totalSize: 8 * KB,
  usersWithFiles: 3,
  largestOwners: [
    { userId: "71", username: "aurora", files: 2, size: 4 * KB },
    { userId: "72", files: 10, size: 2 * KB },
  ],
};

const rows = page.getByRole("table", { name: "Storage by channel" }).getByRole("row");
const bar = (index: number) => rows.nth(index).element().querySelector("[style]");
const widthPx = (index: number) => bar(index)?.getBoundingClientRect().width ?? 0;

let service: ReturnType<typeof scriptService>;

beforeEach(() => {
  service = scriptService();
  signIn();
});

test("each channel has a proportional bar and links to its files; the rest share one row", async () => {
  service.answer(fileStats, () => STATS);
  mountConsole("/system?view=storage");
  await expect.element(rows.nth(1)).toHaveTextContent("aurora4 KB2");
  await expect.element(rows.nth(2)).toHaveTextContent("722 KB10");
  await expect.element(rows.nth(3)).toHaveTextContent("Other2 KB1");
  await expect
    .element(rows.nth(1).getByRole("link", { name: "aurora" }))
    .toHaveAttribute("href", "/files?user=71");
  expect(widthPx(2)).toBeCloseTo(widthPx(1) / 2, 0);
});

test("the card is as high as its rows", async () => {
  service.answer(fileStats, () => ({ ...STATS, largestOwners: STATS.largestOwners.slice(0, 1) }));
  mountConsole("/system?view=storage");
  await expect.element(rows.nth(2)).toHaveTextContent("Other4 KB11");
  const card = rows.nth(0).element().closest("section");
  const belowPx =
    (card?.getBoundingClientRect().bottom ?? 0) -
    rows.nth(2).element().getBoundingClientRect().bottom;
  expect(belowPx).toBeLessThan(24);
});

test("shows a message for an empty store", async () => {
  service.answer(fileStats, () => ({ ...STATS, totalFiles: 0, totalSize: 0, largestOwners: [] }));
  mountConsole("/system?view=storage");
  await expect.element(page.getByText("Nothing is stored")).toBeVisible();
});
