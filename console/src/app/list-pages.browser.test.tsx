import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { listAudit } from "#contract/audit.ts";
import { listChannels } from "#contract/channels.ts";
import { listFailedUploads, listUploads } from "#contract/uploads.ts";
import { listUsers } from "#contract/users.ts";
import { openFull } from "#console/testing/answer-full.ts";

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
    const { calls } = openFull(`${address}?page=2`);
    const asked = () => {
      const call = calls.findLast((one) => one.startsWith(`GET ${path}?`));
      return Object.fromEntries(new URLSearchParams(call?.split("?")[1]));
    };
    await expect.poll(asked).toMatchObject({ page: "2", limit: "20" });
    await change();
    await expect.poll(asked).toMatchObject({ page: "1", limit: "20", ...changed });
  },
);
