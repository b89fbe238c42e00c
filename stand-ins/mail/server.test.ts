import { connect } from "node:net";
import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startMailStandIn, type MailStandIn } from "./server.ts";

let mail: MailStandIn;

beforeEach(async () => {
  mail = await startMailStandIn({ host: "127.0.0.1", smtpPort: 0, httpPort: 0 });
});

afterEach(() => mail.close());

/** Says the lines one after another, each after the answer to the one before; returns the answers. */
async function converse(lines: readonly string[]): Promise<string[]> {
  const socket = connect(Number(new URL(mail.smtpUrl).port), "127.0.0.1");
  socket.setEncoding("utf8");
  const answers: string[] = [];
  for (const line of ["", ...lines]) {
    if (line !== "") socket.write(`${line}\r\n`);
    const [answer] = await Promise.race([once(socket, "data"), once(socket, "close")]);
    answers.push(typeof answer === "string" ? answer.trim() : "closed");
  }
  socket.destroy();
  return answers;
}

const envelope = ["HELO test", "MAIL FROM:<a@example.org>", "RCPT TO:<b@example.org>", "DATA"];

test("a mail is taken with its envelope, and dots are put back as they were", async () => {
  const answers = await converse([
    ...envelope,
    "Subject: =?UTF-8?B?w5xiZXI=?= =?UTF-8?Q?_all?=\r\nX: folded\r\n  here\r\n\r\n..dot\r\nend\r\n.",
    "QUIT",
  ]);
  expect(answers.at(-2)).toBe("250 Taken");
  expect(mail.mails).toMatchObject([
    {
      from: "a@example.org",
      recipients: ["b@example.org"],
      subject: "Über all",
      text: ".dot\r\nend",
    },
  ]);
  expect(mail.mails[0]?.headers.get("x")).toBe("folded here");
  const page = await (await fetch(mail.inboxUrl)).text();
  expect(page).toContain("Über all");
});

test("commands out of order and unknown ones are refused", async () => {
  const answers = await converse(["RCPT TO:<b@example.org>", "DATA", "VRFY x"]);
  expect(answers.slice(1)).toEqual(["503 MAIL first", "503 RCPT first", "502 Unknown command"]);
});

test("faults refuse at their stage, as often as asked", async () => {
  await fetch(`${mail.inboxUrl}/control/faults`, {
    method: "POST",
    body: JSON.stringify({ stage: "recipient", reply: "550 Nobody", times: 1 }),
  });
  expect((await converse(envelope)).slice(3)).toEqual(["550 Nobody", "503 RCPT first"]);
  expect((await converse(envelope)).at(-1)).toMatch(/^354/);
  mail.addFault({ stage: "connect", drop: true });
  expect(await converse([])).toEqual(["closed"]);
});
