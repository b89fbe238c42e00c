import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { fileRow } from "#console/testing/file-table.ts";
import { openFull } from "#console/testing/answer-full.ts";
import { useOnlyInter } from "#console/testing/expect-picture.ts";

/** The cells of each line of a row, by their column's place. */
const LINES: Readonly<Record<string, readonly string[]>> = {
  "/uploads": ["0 1 8", "2"],
  "/uploads/failed": ["0 1", "2 5"],
  "/users": ["0 4", "3"],
  "/channels": ["0 6", "1 2"],
  "/files": ["0 1 6", "3"],
};

test.each(Object.entries(LINES))(
  "on the narrowest phone, all rows of %s have the same lines, whatever their badges",
  async (address, lines) => {
    await useOnlyInter();
    await page.viewport(320, 800);
    openFull(address);
    await expect.poll(() => rows().length).toBeGreaterThan(1);
    expect(rows().map(linesOf)).toEqual(rows().map(() => lines));
  },
);

/** Two lines of a name and four of a key; a column one letter wide would be many times higher. */
const MAX_FILE_ROW_PX = 160;

test.each([768, 1023, 1024, 1152])(
  "%d px wide, every column of the Upload Monitor is in view, and no file's row is squeezed",
  async (widthPx) => {
    await useOnlyInter();
    await page.viewport(widthPx, 800);
    openFull("/uploads");
    await expect.poll(() => rows().length).toBeGreaterThan(1);
    const table = page.getByRole("region", { name: "Uploads, table" }).element();
    expect(table.scrollWidth).toBe(table.clientWidth);
    openFull("/files?layout=list");
    const file = fileRow(0);
    await expect.element(file.getByRole("cell").nth(1)).toBeVisible();
    expect(file.element().getBoundingClientRect().height).toBeLessThan(MAX_FILE_ROW_PX);
  },
);

test("the head of a list stays below the top bar while its rows scroll", async () => {
  await page.viewport(1280, 300);
  openFull("/files");
  await expect.poll(() => rows().length).toBeGreaterThan(1);
  const bar = document.querySelector("header")?.getBoundingClientRect();
  const head = page.getByRole("columnheader", { name: "Modified" }).element();
  window.scrollTo(0, head.getBoundingClientRect().top);
  expect(head.getBoundingClientRect().top).toBe(bar?.bottom);
});

test("the Upload Monitor uses the full width of the page", async () => {
  await page.viewport(2_200, 900);
  const users = await rowWidth("/users", "Users");
  expect(await rowWidth("/uploads", "Uploads")).toBeGreaterThan(users + 200);
});

async function rowWidth(address: string, caption: string): Promise<number> {
  openFull(address);
  const row = page.getByRole("table", { name: caption }).getByRole("row").nth(1);
  await expect.element(row).toBeVisible();
  return row.element().clientWidth;
}

function rows(): readonly Element[] {
  return [...document.querySelectorAll("main tbody tr:not(:has([data-skeleton]))")];
}

/** Cells that are beside each other are on one line. */
function linesOf(row: Element): readonly string[] {
  const cells = [...row.children].map((cell, place) => ({
    place,
    box: cell.getBoundingClientRect(),
  }));
  const lines: { bottom: number; places: number[] }[] = [];
  for (const { place, box } of cells.toSorted((one, other) => one.box.top - other.box.top)) {
    if (box.height === 0) continue;
    const line = lines.at(-1);
    if (line === undefined || box.top >= line.bottom)
      lines.push({ bottom: box.bottom, places: [place] });
    else line.places.push(place);
  }
  return lines.map(({ places }) => places.toSorted((one, other) => one - other).join(" "));
}
