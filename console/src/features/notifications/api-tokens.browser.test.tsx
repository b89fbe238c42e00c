import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { createToken, listTokens, revokeToken } from "#contract/tokens.ts";
import { ALL_RULES, expectAccessible } from "#console/testing/expect-accessible.ts";
import { openFull } from "#console/testing/answer-full.ts";

const TOKEN = {
  id: "0123456789abcdef",
  name: "nightly mirror",
  owner: { userId: "1002", login: "nova", displayName: "Nova" },
  permissions: ["read:uploads"],
  createdAt: "2026-11-01T10:00:00.000Z",
  expiresAt: "2026-11-02T10:00:00.000Z",
};
const SECRET = `vk_${"a".repeat(43)}`;

test("a token is made from own rights, shown once, listed and revoked", async () => {
  const { answer, calls } = openFull("/notifications?view=tokens", ["read:uploads", "write:users"]);
  const bodies: unknown[] = [];
  answer(listTokens, () => ({ tokens: [TOKEN] }));
  answer(createToken, async (request) => {
    bodies.push(await request.json());
    return { ...TOKEN, token: SECRET };
  });
  answer(revokeToken, () => ({ id: TOKEN.id }));
  await expect.element(page.getByText("Expired")).toBeVisible();
  await expect.element(page.getByRole("definition").getByText("Nova")).toBeVisible();
  await page.getByRole("button", { name: "New Token" }).click();
  await expectAccessible(ALL_RULES);
  const rights = page.getByRole("group", { name: "Rights" }).getByRole("checkbox");
  expect(rights.elements()).toHaveLength(2);
  await expect.element(page.getByRole("textbox", { name: "Name" })).toHaveFocus();
  await page.getByRole("textbox", { name: "Name" }).fill("nightly mirror");
  await page.getByRole("checkbox", { name: "read:uploads" }).click();
  await page.getByRole("button", { name: "Make Token" }).click();
  await expect.element(page.getByText(SECRET)).toBeVisible();
  await expect.element(page.getByRole("button", { name: "Copy token" })).toBeVisible();
  expect(bodies).toEqual([
    { name: "nightly mirror", permissions: ["read:uploads"], expiresInDays: 90 },
  ]);
  await expectAccessible(ALL_RULES);
  await page.getByRole("button", { name: "Done" }).click();
  await expect.element(page.getByText(SECRET)).not.toBeInTheDocument();
  await expect.element(page.getByRole("button", { name: "New Token" })).toHaveFocus();
  const title = page.getByRole("heading", { name: "Notifications", exact: true });
  answer(listTokens, () => ({ tokens: [] }));
  await page.getByRole("button", { name: "Revoke nightly mirror" }).click();
  await page.getByRole("button", { name: "Revoke", exact: true }).click();
  await expect.poll(() => calls).toContain(`DELETE /admin/tokens/${TOKEN.id}`);
  await expect.element(title).toHaveFocus();
});
