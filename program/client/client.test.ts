import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { resolve, sep } from "node:path";
import { Command } from "commander";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { validate } from "#contract/auth.ts";
import { objectKeySchema } from "#contract/files.ts";
import { revokeConfirmation } from "#contract/consent.ts";
import { makeTemporaryFolder } from "#hosts/node/testing/temporary-folder.ts";
import { listen } from "#stand-ins/listen.ts";
import { call } from "./call.ts";
import { addClientCommands } from "./commands.ts";
import { completionScript } from "./completion.ts";
import { table } from "./output.ts";
import { openMirrorIndex } from "./mirror-index.ts";
import { safeName } from "./safe-name.ts";

type Answer = {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
};

const busy = (code: string, seconds: string) => ({
  status: code === "rate_limited" ? 429 : 503,
  headers: { "retry-after": seconds },
  body: { error: { code, message: "Too many\u001b[2J requests." } },
});
const done = { status: 200, body: { data: {} } };

test.each<[string, readonly Answer[], number, number, RegExp]>([
  ["a limit that passes", [busy("rate_limited", "0"), done], 0, 2, /^$/],
  [
    "a limit that stays",
    Array.from({ length: 9 }, () => busy("rate_limited", "0")),
    1,
    4,
    /^Too many\[2J requests\.$/,
  ],
  ["an outage while changing something", [busy("unavailable", "0"), done], 1, 1, /Too many/],
  [
    "an address that moved",
    [{ status: 301, headers: { location: "https://b.example/x" } }],
    1,
    1,
    /use https:\/\/b\.example\./,
  ],
  ["a proxy without its service", [{ status: 502, body: "<html>" }], 5, 1, /answers 502/],
  ["another service", [{ status: 200, body: "<html>" }], 1, 1, /form that this version/],
])("%s", async (_, answers, code, requests, sentence) => {
  let count = 0;
  const server = createServer((_request, response) => {
    const answer = answers[count++];
    response
      .writeHead(answer?.status ?? 500, answer?.headers)
      .end(JSON.stringify(answer?.body ?? ""));
  });
  onTestFinished(() => void server.close());
  const connection = { url: `http://127.0.0.1:${await listen(server)}`, token: "t" };
  const ended = await call(connection, revokeConfirmation, { params: { channelId: "1" } }).then(
    () => ({ exitCode: 0, message: "" }),
    (error: unknown) => error,
  );
  expect(ended).toMatchObject({ exitCode: code, message: expect.stringMatching(sentence) });
  expect(count).toBe(requests);
});

test("a service that has answered is waited for while it restarts", async () => {
  let count = 0;
  const body = JSON.stringify({ data: { valid: false, admin: null } });
  const answers = [200, 502, 502, 502, 502, 200];
  const server = createServer((_request, response) => {
    response.writeHead(answers[count++] ?? 500).end(body);
  });
  onTestFinished(() => void server.close());
  const connection = { url: `http://127.0.0.1:${await listen(server)}`, token: "t" };
  for (let calls = 0; calls < 2; calls += 1) await call(connection, validate);
  expect(count).toBe(answers.length);
});

test("no name leaves its folder, and each stays as it is once safe", () => {
  const nasty = fc.constantFrom(
    "..",
    "../../etc/passwd",
    "C:\\x",
    "nul.txt",
    "com¹",
    "CONIN$",
    "con .txt",
    "LPT1 .txt",
    "a.part",
    ".",
    "",
    "\u202e",
    "ü".repeat(300),
  );
  fc.assert(
    fc.property(fc.oneof(nasty, fc.string({ unit: "binary" })), (text) => {
      const name = safeName(text);
      expect(resolve("/m", name).split(sep)).toEqual(["", "m", name]);
      expect(name).not.toMatch(/\.(?:part|lock)$|^\.|[\\:*?"<>|]/i);
      expect(name).not.toMatch(/^(?:con|nul|conin\$|(?:com|lpt)[\d¹]) *(?:\.|$)/i);
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(240);
      expect(safeName(name)).toBe(name);
    }),
  );
});

test("names that differ only in case or form do not get one place", async () => {
  await using folder = await makeTemporaryFolder();
  const index = openMirrorIndex(folder.path);
  const key = objectKeySchema.parse("vods/1/2/a.ts");
  const other = objectKeySchema.parse("vods/1/3/b.ts");
  index.put(key, { path: "a/\u00c4\u00df.ts", modifiedMs: 0, digest: null });
  for (const path of ["a/\u00e4\u00df.ts", "A/A\u0308SS.ts"]) {
    expect(index.isTaken(path, other)).toBe(true);
    expect(index.isTaken(path, key)).toBe(false);
  }
  expect(index.isTaken("a/b.ts", other)).toBe(false);
  index.close();
});

test("titles in tables cannot control the terminal", () => {
  expect(table(["TITLE"], [["\u001b]0;x\u0007a\nb"]])).toEqual(["TITLE", "]0;xab"]);
});

/** Prints what each shell offers for `line`; zsh, the line that it makes of it. */
const COMPLETE = {
  bash: (script: string, line: string) =>
    `${script}\nCOMP_WORDS=(${line}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _vodkeep; echo "\${COMPREPLY[*]}"`,
  fish: (script: string, line: string) => `${script}\ncomplete -C "${line}"`,
  zsh: (script: string, line: string) =>
    `zmodload zsh/zpty; file=$(mktemp); trap 'rm $file' EXIT; cat >$file <<'END'\n${script}\nvodkeep() { print "ran:$*." }\nPS1=rea; PS1+=dy\nEND
    zpty shell zsh -f -i; zpty -w shell "source $file"; zpty -r shell said '*ready*'
    zpty -w shell $'${line}\\t'; zpty -r shell said '*ran:*.*'; print -r -- $said`,
};

test.each((["bash", "zsh", "fish"] as const).filter((shell) => existsSync(`/usr/bin/${shell}`)))(
  "%s completes commands, options and values",
  (shell) => {
    const program = new Command("vodkeep");
    addClientCommands(program);
    const script = completionScript(shell, program);
    for (const [line, offered] of [
      ["vodkeep arch", "archive"],
      ["vodkeep archive --qu", "--quality"],
      ["vodkeep archive --quality 72", "720p"],
      ["vodkeep channels add --ri", "--rights-confirmed"],
    ] as const)
      expect(
        execFileSync(shell, ["-c", COMPLETE[shell](script, line)], {
          encoding: "utf8",
          env: { ...process.env, LC_ALL: "C", TERM: "dumb" },
        }),
      ).toContain(offered);
  },
);
