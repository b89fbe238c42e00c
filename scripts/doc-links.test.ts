import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./tools.mjs";

const ROOMS = "{contract,service,hosts,console,program,stand-ins,e2e,bench,scripts,docs}";
const FILES = globSync(["*.{md,ts}", `${ROOMS}/**/*.{ts,tsx,mjs,md,jsonc}`], {
  cwd: ROOT,
  exclude: (path) => /node_modules|\.wrangler/.test(path),
});

/** A Markdown file of the repository and a heading; not the end of a URL. */
const PAGE = /(?<![\w./:-])((?:[\w-]+\/)*[\w-]+\.md\b)(?:#([\w-]+))?/g;
const RECORD = /\brecords? (\d+)\b/g;

/** A section of a document that readers of the repository do not have. */
const ELSEWHERE = /\b(?:specification|design|sheet)(?:'s)? sections? \d/gi;

const RECORDS = globSync("docs/decisions/*.md", { cwd: ROOT });
const RECORD_NUMBERS = new Set(RECORDS.map((path) => /\/(\d+)-/.exec(path)?.[1] ?? path));

/** Joins lines, since comments may wrap within a reference. */
function proseOf(path: string): string {
  return readFileSync(join(ROOT, path), "utf8").replace(/\n\s*(?:\*|\/\/)?\s*/g, " ");
}

function headingsOf(path: string): readonly string[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => /^#+ /.test(line))
    .map((line) =>
      line
        .replace(/^#+ /, "")
        .toLowerCase()
        .replace(/[^\w -]/g, "")
        .replace(/ /g, "-"),
    );
}

/** Relative to the root or to the referring page. */
function findPage(page: string, from: string): string | undefined {
  return [join(ROOT, page), join(ROOT, dirname(from), page)].find(existsSync);
}

test("every page and heading referenced in code and documentation exists", () => {
  const dangling = FILES.flatMap((from) =>
    [...proseOf(from).matchAll(PAGE)].flatMap(([reference, page = "", heading]) => {
      const found = findPage(page, from);
      const isThere =
        found !== undefined && (heading === undefined || headingsOf(found).includes(heading));
      return isThere ? [] : [`${from}: ${reference}`];
    }),
  );
  expect(dangling).toEqual([]);
});

test("every decision record referenced by number exists", () => {
  const dangling = FILES.flatMap((from) =>
    [...proseOf(from).matchAll(RECORD)].flatMap(([reference, number = ""]) =>
      RECORD_NUMBERS.has(number) ? [] : [`${from}: ${reference}`],
    ),
  );
  expect(dangling).toEqual([]);
});

test("no section of a document outside the repository is cited", () => {
  const dangling = FILES.flatMap((from) =>
    [...proseOf(from).matchAll(ELSEWHERE)].map(([reference]) => `${from}: ${reference}`),
  );
  expect(dangling).toEqual([]);
});

test("every decision record is listed in docs/README.md under its own heading", () => {
  const index = readFileSync(join(ROOT, "docs/README.md"), "utf8");
  const unlisted = RECORDS.filter((path) => {
    const [, heading] = /^# \d{4}: (.+)$/m.exec(readFileSync(join(ROOT, path), "utf8")) ?? [];
    return !index.includes(`[${heading}](${path.replace("docs/", "")})`);
  });
  expect(unlisted).toEqual([]);
});
