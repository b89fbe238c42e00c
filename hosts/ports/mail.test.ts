import { createServer } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MailError } from "#service/ports/mail.ts";
import { listen } from "#stand-ins/listen.ts";
import { startMailStandIn, type MailStandIn } from "#stand-ins/mail/server.ts";
import { openMailTransport } from "./mail.ts";

let mail: MailStandIn;

beforeEach(async () => {
  mail = await startMailStandIn();
});

afterEach(() => mail.close());

const message = {
  to: "dana@example.org",
  subject: "[PREVIEW] Überlauf 🎬: <b>fünf</b>",
  text: "Erste Zeile\n.\n..zwei Punkte\n=20 bleibt\nhttp://localhost:8787/uploads",
  html: "<p>Erste Zeile</p>",
  messageId: "<notification-7@localhost>",
};

function transportTo(address: string) {
  const transport = openMailTransport({ SMTP_URL: address, MAIL_FROM: "Vodkeep <v@example.org>" });
  if (transport === null) throw new Error("The settings name a server");
  return transport;
}

async function failureOf(sending: Promise<void>): Promise<MailError> {
  const error: unknown = await sending.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof MailError) return error;
  throw new Error(`Expected a MailError, not ${String(error)}`);
}

test("a mail is delivered with its text, lone dots and addresses unchanged", async () => {
  await transportTo(mail.smtpUrl).send(message, 5_000);
  expect(mail.mails).toHaveLength(1);
  expect(mail.mails[0]).toMatchObject({
    from: "v@example.org",
    recipients: ["dana@example.org"],
    subject: message.subject,
  });
  expect(mail.mails[0]?.text.replaceAll("\r\n", "\n").trimEnd()).toBe(message.text);
  expect(mail.mails[0]?.html.trim()).toBe(message.html);
  expect(mail.mails[0]?.headers.get("message-id")).toBe(message.messageId);
  expect(mail.mails[0]?.headers.get("auto-submitted")).toBe("auto-generated");
});

test("an untrusted certificate is reported with the setting that trusts it", async () => {
  const secured = await startMailStandIn({ offersTls: true });
  const error = await failureOf(transportTo(secured.smtpUrl).send(message, 5_000));
  await secured.close();
  expect(error.kind).toBe("unavailable");
  expect(error.message).toMatch(/TLS certificate is not trusted \(.+\)\. Set NODE_EXTRA_CA_CERTS/);
  expect(secured.mails).toHaveLength(0);
});

test.each([
  [
    "a plain server addressed as smtps",
    (url: string) => url.replace("smtp:", "smtps:"),
    /WRONG_VERSION/,
  ],
  ["a name that does not exist", () => "smtp://mail.invalid", /ENOTFOUND|EAI_AGAIN/],
])("the reason for having no connection is told: %s", async (_name, addressFor, reason) => {
  const error = await failureOf(transportTo(addressFor(mail.smtpUrl)).send(message, 5_000));
  expect(error.kind).toBe("unavailable");
  expect(error.message).toMatch(reason);
});

test("without settings there is no mail transport", () => {
  expect(openMailTransport({ SMTP_URL: undefined, MAIL_FROM: undefined })).toBeNull();
});

test.each([
  ["address", { ...message, to: "dana@example.org\r\nBcc: x@example.org" }],
  ["subject", { ...message, subject: "Hi\nBcc: x@example.org" }],
  ["message id", { ...message, messageId: "<a>\r\nX: y" }],
])("a line break in the %s is rejected before connecting", async (_name, broken) => {
  const error = await failureOf(transportTo(mail.smtpUrl).send(broken, 5_000));
  expect(error.kind).toBe("refused");
  expect(mail.connectionCount()).toBe(0);
});

test("an address with a comma does not add a recipient", async () => {
  const to = '"a,b@evil.example"@example.org';
  await transportTo(mail.smtpUrl)
    .send({ ...message, to }, 5_000)
    .catch(() => undefined);
  expect(mail.mails.flatMap(({ recipients }) => recipients)).not.toContain("b@evil.example");
});

test("5xx is reported as refused with the server's reply, 4xx as unavailable", async () => {
  mail.addFault({ stage: "recipient", reply: "550 5.1.1 No such user here", times: 1 });
  const refused = await failureOf(transportTo(mail.smtpUrl).send(message, 5_000));
  expect(refused).toMatchObject({ kind: "refused", message: "550 5.1.1 No such user here" });
  mail.addFault({ stage: "message", reply: "451 4.7.1 Greylisted, try again", times: 1 });
  const later = await failureOf(transportTo(mail.smtpUrl).send(message, 5_000));
  expect(later).toMatchObject({ kind: "unavailable" });
  expect(mail.mails).toHaveLength(0);
});

test("a silent, disconnecting or unreachable server is reported as unavailable in time", async () => {
  const silent = createServer(() => undefined);
  const port = await listen(silent);
  const startedMs = performance.now();
  const slow = await failureOf(transportTo(`smtp://127.0.0.1:${port}`).send(message, 300));
  expect(slow.kind).toBe("unavailable");
  expect(performance.now() - startedMs).toBeLessThan(20_000);
  silent.close();

  mail.addFault({ stage: "message", drop: true, times: 1 });
  expect((await failureOf(transportTo(mail.smtpUrl).send(message, 2_000))).kind).toBe(
    "unavailable",
  );
  const gone = await failureOf(transportTo("smtp://127.0.0.1:1").send(message, 2_000));
  expect(gone.kind).toBe("unavailable");
});

test("a password is sent to this machine without TLS, and never appears in an error", async () => {
  const withPassword = mail.smtpUrl.replace("smtp://", "smtp://user:secret%40word@");
  await transportTo(withPassword).send(message, 5_000);
  expect(mail.mails).toHaveLength(1);
  mail.addFault({ stage: "greeting", reply: "554 No", times: 1 });
  const error = await failureOf(transportTo(withPassword).send(message, 5_000));
  expect(String(error) + error.message).not.toContain("secret");
});

test("a password is not sent to another host without TLS", async () => {
  // Linux connects to this machine, but the name is not a loopback address.
  const elsewhere = mail.smtpUrl.replace("smtp://127.0.0.1", "smtp://user:secret@0.0.0.0");
  await failureOf(transportTo(elsewhere).send(message, 5_000));
  expect(mail.connectionCount()).toBe(1);
  expect(mail.mails).toHaveLength(0);
  await transportTo(elsewhere.replace("user:secret@", "")).send(message, 5_000);
  expect(mail.mails).toHaveLength(1);
});
