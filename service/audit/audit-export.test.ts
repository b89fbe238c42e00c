import { afterAll, expect, test } from "vitest";
import { exportAudit, sealedEntrySchema, type SealedEntry } from "#contract/audit.ts";
import { sql } from "#service/db/sql.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";
import { auditEntry } from "#service/changes/audit-entry.ts";
import { csvLine } from "./audit-export.ts";
import { checkExport } from "./check-export.ts";

/** More than one database read. */
const ENTRIES = 1_200;

const vodkeep = await startTestService();
const admin = await vodkeep.signIn(ADMIN);
const { database } = vodkeep.platform;
for (let index = 0; index < ENTRIES; index += 100)
  await database.batch(
    Array.from({ length: 100 }, (_entry, step) =>
      auditEntry({
        atMs: 1_000 + index + step,
        actorId: ADMIN,
        action: step % 2 === 0 ? "cache.clear" : "user.ban",
        target: `target ${index + step}`,
        reason: '=HYPERLINK("https://evil.example")',
        after: { "2": 1, "1": [null, 1e21] },
      }),
    ),
  );
afterAll(() => vodkeep.close());

async function exported(query = "") {
  const answer = await admin.call("GET", `${exportAudit.path}${query}`);
  expect(answer.status).toBe(200);
  return answer;
}

async function linesOf(query = ""): Promise<string[]> {
  return (await exported(query)).text.trimEnd().split("\n");
}

function entryOf(line: string | undefined): SealedEntry {
  return sealedEntrySchema.parse(JSON.parse(line ?? ""));
}

function check(lines: readonly string[]) {
  return checkExport(lines, vodkeep.platform.digests);
}

test("the log is exported as JSON lines, newest first, that verify without the service", async () => {
  const { headers } = await exported();
  expect(headers.get("content-type")).toBe("application/jsonl");
  expect(headers.get("content-disposition")).toMatch(/^attachment; filename="audit-\S+\.jsonl"/);
  const lines = await linesOf();
  const report = await check(lines);
  expect(report).toMatchObject({ entries: lines.length, linked: lines.length - 1, fault: null });
  expect(report.entries).toBeGreaterThan(ENTRIES);
  // The newest entry records the export itself.
  expect(entryOf(lines[0])).toMatchObject({ action: "audit.export", actorId: ADMIN });
});

test("exports only filtered entries, each verifiable on its own, or those that match a search", async () => {
  const bans = await linesOf("?action=user.ban");
  expect(bans).toHaveLength(ENTRIES / 2);
  expect(await check(bans)).toMatchObject({ entries: ENTRIES / 2, linked: 0, fault: null });
  const found = await linesOf("?search=TARGET%20117");
  expect(found.map((line) => entryOf(line).target)).toEqual(
    [1179, 1178, 1177, 1176, 1175, 1174, 1173, 1172, 1171, 1170, 117].map((n) => `target ${n}`),
  );
  expect((await exported("?search=nothing%20like%20this")).text).toBe("");
});

test("an export continues before a given entry", async () => {
  const lines = await linesOf("?action=user.ban");
  const middle = entryOf(lines[99]).seq;
  const rest = await linesOf(`?action=user.ban&before=${middle}`);
  expect(rest).toEqual(lines.slice(100));
});

test.each([
  ["a changed reason", (line: string) => line.replace("evil", "good"), "is not what was sealed"],
  ["a changed value", (line: string) => line.replace("e+21", "e+22"), "is not what was sealed"],
  ["a changed time", (line: string) => line.replace(/"at":1/, '"at":2'), "is not what was sealed"],
  ["a truncated line", (line: string) => line.slice(0, 40), "this is no exported entry"],
])("%s is detected in an exported file", async (_what, spoil, fault) => {
  const lines = await linesOf();
  const spoilt = lines.map((line, index) => (index === 700 ? spoil(line) : line));
  expect(spoilt[700]).not.toBe(lines[700]);
  const report = await check(spoilt);
  expect(report.entries).toBe(700);
  expect(report.fault).toContain(fault);
});

test("a forged entry with a recomputed seal does not match the next entry", async () => {
  const lines = await linesOf();
  const { previousSeal, ...forged } = { ...entryOf(lines[700]), reason: "another" };
  const seal = await vodkeep.platform.digests.sha256(
    new TextEncoder().encode(
      JSON.stringify([
        previousSeal,
        forged.seq,
        forged.at,
        forged.actorId,
        forged.action,
        forged.target,
        forged.result,
        forged.reason,
        forged.before,
        forged.after,
        forged.requestId,
      ]),
    ),
  );
  lines[700] = JSON.stringify({ ...forged, previousSeal, seal });
  expect((await check(lines)).fault).toContain("does not follow from entry");
});

test("an exported file is checked against a previously published seal", async () => {
  const lines = await linesOf();
  const { seq, seal } = entryOf(lines[20]);
  const { digests } = vodkeep.platform;
  const faultOf = async (some: readonly string[], hash = seal) =>
    (await checkExport(some, digests, { seq, hash })).fault;
  expect(await faultOf(lines)).toBeNull();
  expect(await faultOf(lines, "0".repeat(64))).toContain("another seal than was published");
  expect(await faultOf(lines.slice(21))).toContain("is not in the file");
  expect(await faultOf(lines.slice(0, 20))).toContain("is not in the file");
});

test("CSV fields are quoted, and formulas in them are escaped", async () => {
  const { text, headers } = await exported("?format=csv&action=user.ban");
  expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
  const [header, first] = text.split("\r\n");
  expect(header?.split(",").slice(0, 4)).toEqual(["seq", "time", "actorId", "actorLogin"]);
  expect(first).toContain(`"'=HYPERLINK(""https://evil.example"")"`);
  expect(csvLine({ ...entryOf((await linesOf())[5]), target: 'a,"b"\nc' })).toContain(
    '"a,""b""\nc"',
  );
  for (const sign of ["=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20"])
    expect(csvLine({ ...entryOf((await linesOf())[5]), target: `${sign}1` })).toContain(
      `,'${sign}1,`,
    );
});

test("a CSV file begins with the byte order mark that spreadsheets look for", async () => {
  const answer = await admin.send("GET", `${exportAudit.path}?format=csv`);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  expect(bytes.subarray(0, 3)).toEqual(new Uint8Array([0xef, 0xbb, 0xbf]));
});

test("an export is audited and requires read:system", async () => {
  const { id } = await vodkeep.twitch.control.addAccount();
  const other = await vodkeep.signInWith(id, ["read:uploads"]);
  expect((await other.call("GET", exportAudit.path)).status).toBe(403);
  await exported("?format=csv&result=refused");
  const [row] = await vodkeep.platform.database.all(
    sql`SELECT after FROM audit WHERE action = 'audit.export' ORDER BY seq DESC LIMIT 1`,
  );
  expect(JSON.parse(String(row?.after))).toEqual({ format: "csv", result: "refused" });
});
