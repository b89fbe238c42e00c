import { beforeEach, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { listAudit } from "#contract/audit.ts";
import { listChannels } from "#contract/channels.ts";
import { browseFiles } from "#contract/files.ts";
import { buildFile } from "#contract/testing/build-file.ts";
import { buildPage } from "#contract/testing/build-page.ts";
import { buildUpload } from "#contract/testing/build-upload.ts";
import { listFailedUploads, listUploads } from "#contract/uploads.ts";
import { listUsers } from "#contract/users.ts";
import { buildFilePage } from "#console/testing/answer-files.ts";
import { answerFull } from "#console/testing/answer-full.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { scriptService } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";

let service: ReturnType<typeof scriptService>;

beforeEach(() => {
  service = scriptService();
  answerFull(service);
  signIn();
});

/** The query of the latest call for rows; names alone are asked for when the browser is idle. */
function asked(path: string) {
  const call = service.calls.findLast(
    (one) => one.startsWith(`GET ${path}?`) && !one.endsWith("?limit=1000"),
  );
  return Object.fromEntries(new URLSearchParams(call?.split("?")[1]));
}

const askedFiles = () => asked(browseFiles.path);
const askedUploads = () => asked(listUploads.path);
const rowMenu = page.getByRole("button", { name: /^Actions for/ });

async function search(): Promise<void> {
  await page.getByRole("searchbox").fill("pilot");
}

const choose = (label: string, option: string) => async () => {
  await page.getByLabelText(label, { exact: true }).selectOptions(option);
};

test.each([
  ["/uploads", listUploads, search, { search: "pilot" }],
  ["/uploads", listUploads, choose("Status", "Failed"), { status: "failed" }],
  ["/uploads/failed", listFailedUploads, search, { search: "pilot" }],
  ["/users", listUsers, search, { search: "pilot" }],
  ["/users", listUsers, choose("Role", "Regular Users"), { isAdmin: "false" }],
  ["/users", listUsers, choose("Role", "Administrators"), { isAdmin: "true" }],
  ["/audit", listAudit, search, { search: "pilot" }],
  ["/channels", listChannels, search, { search: "pilot" }],
] as const)(
  "%s shows 20 rows a page, and a changed filter leads to the first page",
  async (address, { path }, change, changed) => {
    mountConsole(`${address}?page=2`);
    await expect.poll(() => asked(path)).toMatchObject({ page: "2", limit: "20" });
    await change();
    await expect.poll(() => asked(path)).toMatchObject({ page: "1", limit: "20", ...changed });
  },
);

test("a page beyond the end leads to the last page, that of an empty list to the first", async () => {
  service.answer(browseFiles, ({ url }) => {
    const { searchParams } = new URL(url);
    const current = Number(searchParams.get("page"));
    if (searchParams.has("search")) return buildFilePage([], 0, current);
    return buildFilePage(current > 3 ? [] : [buildFile()], 60, current);
  });
  mountConsole("/files?page=4000");
  await expect.element(page.getByText("Showing 51 to 60 of 60 results")).toBeVisible();
  await expect.element(rowMenu).toBeVisible();
  expect(askedFiles()).toMatchObject({ page: "3" });
  mountConsole("/files?page=4000&search=nothing");
  await expect.element(page.getByText("No files found")).toBeVisible();
  await expect.poll(askedFiles).toMatchObject({ page: "1" });
});

const spinner = () => document.querySelector("nav[aria-label='Pagination'] div > span");

test("Next and Previous, pressed while a page loads, count each press, but none beyond the last page", async () => {
  const answered = Promise.withResolvers<void>();
  const files = Array.from({ length: 10 }, () => buildFile());
  service.answer(browseFiles, async ({ url }) => {
    const current = Number(new URL(url).searchParams.get("page") ?? 1);
    if (current > 1) await answered.promise;
    return buildFilePage(files, 60, current);
  });
  mountConsole("/files");
  await expect.element(page.getByText("Showing 1 to 25 of 60 results")).toBeVisible();
  const next = page.getByRole("button", { name: "Next" });
  expect(spinner()).toBeNull();
  await next.dblClick();
  await expect.poll(askedFiles).toMatchObject({ page: "3" });
  await next.click({ force: true });
  await expect.element(next).toBeDisabled();
  await expect.element(next).toHaveFocus();
  expect(spinner()).not.toBeNull();
  await expect.element(page.getByText("Showing 1 to 25 of 60 results")).toBeVisible();
  await page.getByRole("button", { name: "Previous" }).dblClick();
  await next.click();
  answered.resolve();
  await expect.element(page.getByText("Showing 26 to 50 of 60 results")).toBeVisible();
  await expect.poll(spinner).toBeNull();
});

test("does not report an empty list while cleared filters are loading", async () => {
  const answered = Promise.withResolvers<void>();
  service.answer(browseFiles, async ({ url }) => {
    if (new URL(url).searchParams.has("search")) return buildFilePage([]);
    await answered.promise;
    return buildFilePage([buildFile()]);
  });
  mountConsole("/files?search=no+such+file");
  await expect.element(page.getByText("Try adjusting your search criteria")).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).first().click();
  await expect.element(page.getByRole("searchbox")).toHaveValue("");
  await expect.poll(askedFiles).not.toHaveProperty("search");
  await expect.element(page.getByText("No files found")).not.toBeInTheDocument();
  answered.resolve();
  await expect.element(rowMenu).toBeVisible();
});

test("the number of rows is remembered, and a page can be gone to", async () => {
  service.answer(listUploads, () => ({
    ...buildPage([buildUpload()]),
    total: 5_068,
    hasNext: true,
  }));
  mountConsole("/uploads");
  const number = page.getByRole("spinbutton", { name: "Page of 254" });
  await number.fill("12");
  await userEvent.keyboard("{Enter}");
  await expect.poll(askedUploads).toMatchObject({ page: "12", limit: "20" });
  await page.getByLabelText("Rows per page").selectOptions("100 rows");
  await expect.poll(askedUploads).toMatchObject({ page: "1", limit: "100" });
  expect(localStorage.getItem("page_size")).toBe("100");
  await page.getByLabelText("Rows per page").selectOptions("20 rows");
});
