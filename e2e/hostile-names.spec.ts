import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Page } from "@playwright/test";
import { browserNotifications } from "#contract/browser-notifications.ts";
import { notificationEvents, type Delivery } from "#contract/notifications.ts";
import { banUser } from "#contract/users.ts";
import { alterAnswer } from "./fixtures/answers.ts";
import { signedInApi } from "./fixtures/archives.ts";
import { expect, seededWith } from "./fixtures/seeded-journey.ts";

declare global {
  interface Window {
    hacked?: boolean;
  }
}

/** Markup, and the text that must be shown. */
const MARKUP = '<img src=x onerror="window.hacked=true">';

/** Names that could execute, reorder, hide, stack up or push other text aside. */
const NAMES: readonly string[] = [
  `${MARKUP}<script>window.hacked=true</script>`,
  "invoice\u202Efdp.exe\u202C \u2066isolated\u2069",
  "ad\u200Bmin\u00AD \u3164\u200E\u{E0041}",
  "👨‍👩‍👧‍👦👩🏽‍🚀🏳️‍🌈 Z\u0351\u036B\u0343\u0301\u0302\u0303\u0304\u0305\u0306\u0307algo\u0336",
  "W".repeat(300),
  "many words ".repeat(60),
  "bell\u0007 escape\u001B[31m return\r\nSet-Cookie: a=b",
  "{{7*7}} ${7*7} javascript:alert(1) '; DROP TABLE uploads; --",
];

/** Hides or reorders, so it must never reach the page. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const DECEIVING = /[\u0007\u001B\u00AD\u200B\u200E\u202A-\u202E\u2066-\u2069\u3164]|\u{E0041}/u;

const test = seededWith({ users: 24, uploads: 60, files: 30 }, {}, (dataDir) => {
  using database = new DatabaseSync(join(dataDir, "vodkeep.db"));
  for (const [index, name] of NAMES.entries()) {
    const isHis = `(rowid % ${NAMES.length}) = ${index}`;
    database
      .prepare(`UPDATE users SET display_name = ?, email = ?, ban_reason = ? WHERE ${isHis}`)
      .run(name, `${name}@example.org`, name);
    database.exec(`UPDATE users SET banned_at = 1 WHERE ${isHis} AND rowid % 3 = 0`);
    database
      .prepare(`UPDATE uploads SET title = ?, filename = ?, error_message = ? WHERE ${isHis}`)
      .run(name, `${name}.ts`, name);
    database.exec(
      `UPDATE uploads SET status = 'failed', failed_at = created_at WHERE ${isHis} AND rowid % 2 = 0`,
    );
    database
      .prepare(`UPDATE files SET filename = ?, metadata = ? WHERE ${isHis}`)
      .run(`${name}.ts`, JSON.stringify({ title: name, [name]: 1 }));
    database
      .prepare("INSERT INTO logs (level, at, message, meta) VALUES ('error', ?, ?, ?)")
      .run(Date.now() + index, name, JSON.stringify({ [name]: name }));
  }
});

/** Enough for two lines in every field, and far less than a name could cause. */
const MAX_ROW_HEIGHT_PX = 420;

/** Expects that names are shown as text: nothing was executed, hidden or moved. */
async function expectHarmless(page: Page): Promise<void> {
  const found = await page.evaluate(
    (maxRowHeightPx) => ({
      hasRun: window.hacked === true,
      injected: document.querySelectorAll("img[src='x'], script:not([src])").length,
      text: document.body.innerText,
      labels: [...document.querySelectorAll("[aria-label], [title]")]
        .map((one) => `${one.getAttribute("aria-label")} ${one.getAttribute("title")}`)
        .join("\n"),
      sidewaysPx: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      // A debug panel is a row as well, of any height.
      tallRows: [...document.querySelectorAll("main tbody > tr:not([id]), main li")]
        .filter((one) => one.getBoundingClientRect().height > maxRowHeightPx)
        .map((one) => one.outerHTML.slice(0, 200)),
    }),
    MAX_ROW_HEIGHT_PX,
  );
  expect(found.hasRun).toBe(false);
  expect(found.injected).toBe(0);
  expect(DECEIVING.exec(found.text)).toBeNull();
  expect(DECEIVING.exec(found.labels)).toBeNull();
  expect(found.sidewaysPx).toBe(0);
  if (page.viewportSize()?.width === 1280) expect(found.tallRows).toEqual([]);
}

async function expectHarmlessAtEveryWidth(page: Page): Promise<void> {
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    await expectHarmless(page);
  }
}

test.beforeEach(({ bringSession }) => bringSession("Avery Admin"));

test("every screen shows hostile names as text, without breaking the layout", async ({
  app,
  page,
}) => {
  const api = await signedInApi(app);
  // The reason is shown beside the user and in the audit log.
  await api.expect(banUser, "/admin/users/9000000001/ban", {
    body: { reason: NAMES.join(" ").slice(0, 500) },
  });
  await alterAnswer(page, browserNotifications, (answer) => ({
    unread: NAMES.length,
    notifications: answer.notifications.map((one, index) => ({
      ...one,
      title: NAMES[index % NAMES.length] ?? "",
      body: NAMES[index % NAMES.length] ?? "",
    })),
  }));
  await alterAnswer(page, notificationEvents, () => ({
    events: NAMES.map((name, index): Delivery => ({
      id: String(index + 1),
      type: "user_banned",
      severity: "medium",
      title: name,
      body: name,
      channel: "browser",
      status: "delivered",
      attempts: 0,
      error: null,
      createdAt: new Date(0).toISOString(),
      deliveredAt: new Date(0).toISOString(),
    })),
    total: NAMES.length,
  }));
  for (const [path, ready] of [
    ["/", "View all"],
    ["/uploads", /^Showing 1 to 20/],
    ["/uploads/failed", /^Showing 1 to 20/],
    ["/files", /^Showing 1 to 25/],
    ["/users", /^Showing 1 to 20/],
    ["/notifications", MARKUP],
    ["/system", MARKUP],
    ["/audit", "user.ban"],
  ] as const) {
    await page.goto(path);
    const main = page.getByRole("main");
    await expect(main.getByText(ready).first()).toBeVisible();
    await expect(main.getByText(MARKUP).first()).toBeVisible();
    await expectHarmlessAtEveryWidth(page);
  }
});

test("dialogs and panels show hostile names as text, with ids beside them", async ({ page }) => {
  const dialog = page.getByRole("dialog");
  await page.goto("/uploads?live=paused&search=onerror");
  await page
    .getByRole("button", { name: /^Debug information of/ })
    .first()
    .click();
  await expect(page.getByText("Progress history")).toBeVisible();
  await expectHarmlessAtEveryWidth(page);
  await page
    .getByRole("button", { name: /^Actions for/ })
    .first()
    .click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await expect(dialog).toContainText(/seed\d+/);
  await expectHarmlessAtEveryWidth(page);

  await page.goto("/files");
  for (const [index, name] of NAMES.entries()) {
    if (index > 3) break;
    const row = page.getByRole("row").nth(index + 1);
    await row.getByRole("button", { name: /^View Details/ }).click();
    await expect(dialog.getByRole("heading", { name: "Metadata" }), name).toBeVisible();
    await expectHarmlessAtEveryWidth(page);
    await page.keyboard.press("Escape");
  }
  await page
    .getByRole("row")
    .nth(1)
    .getByRole("button", { name: /^Delete: / })
    .click();
  await expect(dialog).toContainText(/seed\//);
  await expectHarmlessAtEveryWidth(page);

  await page.goto("/users");
  const someone = page.locator("tbody tr").filter({ hasText: MARKUP }).first();
  for (const item of ["Manage Permissions", /^(?:Ban|Unban) User$/]) {
    await someone.getByRole("button", { name: /^Actions for/ }).click();
    await page.getByRole("menuitem", { name: item }).click();
    await expect(dialog).toContainText(/Twitch ID 9\d{9}/);
    await expectHarmlessAtEveryWidth(page);
    await page.keyboard.press("Escape");
  }
  await someone.locator('[data-shortcut="row"]').click();
  await expect(dialog).toContainText(/@\w+\d/);
  await expectHarmlessAtEveryWidth(page);
});

test("a provider's error is shown as text in its toast", async ({ page }) => {
  await page.goto(
    `/auth/callback?error=${encodeURIComponent(`${NAMES[0]}${NAMES[1]}${NAMES[4]}`)}`,
  );
  await expect(page.getByText(/^Authentication failed: <img src=x/)).toBeVisible();
  await expectHarmlessAtEveryWidth(page);
});
