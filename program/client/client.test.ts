import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { resolve, sep } from "node:path";
import { Command } from "commander";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { validate } from "#contract/auth.ts";
import { revokeConfirmation } from "#contract/consent.ts";
import { listen } from "#stand-ins/listen.ts";
import { call } from "./call.ts";
import { addClientCommands } from "./commands.ts";
import { completionScript } from "./completion.ts";
import { table } from "./output.ts";
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
}, 30_000);

test("no name leaves its folder, and each stays as it is once safe", () => {
  const nasty = fc.constantFrom(
    "..",
    "../../etc/passwd",
    "C:\\x",
    "nul.txt",
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
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(240);
      expect(safeName(name)).toBe(name);
    }),
  );
});

test("titles in tables cannot control the terminal", () => {
  expect(table(["TITLE"], [["\u001b]0;x\u0007a\nb"]])).toEqual(["TITLE", "]0;xab"]);
});

test.each(["bash", "zsh", "fish"] as const)("the completion of %s knows every command", (shell) => {
  const program = new Command("vodkeep");
  addClientCommands(program);
  const script = completionScript(shell, program);
  for (const command of program.commands) expect(script).toContain(command.name());
  if (shell !== "bash") return;
  const complete = `${script}\nCOMP_WORDS=(vodkeep archive --q); COMP_CWORD=2; _vodkeep; echo "\${COMPREPLY[*]}"`;
  expect(execFileSync("bash", ["-c", complete], { encoding: "utf8" }).trim()).toBe("--quality");
});
