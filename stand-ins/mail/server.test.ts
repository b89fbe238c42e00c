import { connect } from "node:net";
import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startMailStandIn, type MailStandIn } from "./server.ts";

let mail: MailStandIn;

beforeEach(async () => {
  mail = await startMailStandIn({ host: "127.0.0.1", smtpPort: 0, httpPort: 0 });
});

afterEach(() => mail.close());

/** Sends each line after the reply to the previous one; returns the replies. */
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

test("a mail is kept with its envelope, its words and both of its parts", async () => {
  await converse([
    ...envelope,
    "Subject: =?UTF-8?B?w5xiZXI=?= =?UTF-8?Q?_all?=\r\n" +
      'Content-Type: multipart/alternative; boundary="b"\r\n\r\n' +
      "--b\r\nContent-Type: text/plain\r\n\r\n..dot\r\n" +
      "--b\r\nContent-Type: text/html\r\n\r\n<p>dot</p>\r\n--b--\r\n.",
    "QUIT",
  ]);
  expect(mail.mails).toMatchObject([
    { from: "a@example.org", recipients: ["b@example.org"], subject: "Über all" },
  ]);
  expect(mail.mails[0]?.text.trim()).toBe(".dot");
  expect(mail.mails[0]?.html.trim()).toBe("<p>dot</p>");
  const page = await (await fetch(mail.inboxUrl)).text();
  expect(page).toContain("Über all");
});

test("faults refuse at their stage, as often as asked", async () => {
  await fetch(`${mail.inboxUrl}/control/faults`, {
    method: "POST",
    body: JSON.stringify({ stage: "recipient", reply: "550 Nobody", times: 1 }),
  });
  expect((await converse(envelope))[3]).toBe("550 Nobody");
  expect((await converse(envelope)).at(-1)).toMatch(/^354/);
  mail.addFault({ stage: "connect", drop: true });
  expect(await converse([])).toEqual(["closed"]);
});
