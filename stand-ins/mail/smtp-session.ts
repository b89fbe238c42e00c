import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Faults, Stage } from "./faults.ts";

export type Envelope = { readonly from: string; readonly recipients: readonly string[] };

/** Far above any notification. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

/**
 * One SMTP connection (RFC 5321): greeting, EHLO, then for each mail MAIL FROM, RCPT TO, DATA and
 * the message up to a line with a single dot. Any user name and password is taken.
 */
export async function serveSmtpSession(
  socket: Socket,
  faults: Faults,
  deliver: (envelope: Envelope, source: string) => void,
): Promise<void> {
  socket.setEncoding("latin1");
  let from: string | null = null;
  let recipients: string[] = [];

  const say = (line: string) => socket.write(`${line}\r\n`);

  /** Says the usual line, or what the stage's fault wants. False when the line was a refusal. */
  async function reply(stage: Stage, usual: string): Promise<boolean> {
    const fault = faults.take(stage);
    if (fault?.delayMs !== undefined) await sleep(fault.delayMs);
    if (fault?.drop === true) {
      socket.destroy();
      return false;
    }
    say(fault?.reply ?? usual);
    return fault?.reply === undefined;
  }

  function reset(): void {
    from = null;
    recipients = [];
  }

  async function obey(line: string, lines: AsyncIterator<string, undefined>): Promise<void> {
    const command = line.slice(0, 4).toUpperCase();
    const address = /<([^>]*)>/.exec(line)?.[1] ?? "";
    if (command === "EHLO") {
      say("250-stand-in greets you");
      say("250-8BITMIME");
      say("250-AUTH PLAIN LOGIN");
      say(`250 SIZE ${MAX_MESSAGE_BYTES}`);
    } else if (command === "HELO" || command === "NOOP") say("250 OK");
    else if (command === "AUTH") await authenticate(line, lines);
    else if (command === "RSET") {
      reset();
      say("250 OK");
    } else if (command === "QUIT") {
      say("221 Bye");
      socket.end();
    } else if (command === "MAIL") {
      if (await reply("from", "250 OK")) from = address;
    } else if (command === "RCPT") {
      if (from === null) say("503 MAIL first");
      else if (await reply("recipient", "250 OK")) recipients.push(address);
    } else if (command === "DATA") {
      if (from === null || recipients.length === 0) say("503 RCPT first");
      else if (await reply("data", "354 End with a dot on a line")) {
        const source = await readMessage(lines);
        const envelope = { from, recipients };
        if (await reply("message", "250 Taken")) deliver(envelope, source);
        reset();
      }
    } else say("502 Unknown command");
  }

  /** LOGIN asks for name and password in turn; PLAIN may send both at once (RFC 4954). */
  async function authenticate(
    line: string,
    lines: AsyncIterator<string, undefined>,
  ): Promise<void> {
    const [, mechanism = "", initial] = line.split(" ");
    if (mechanism.toUpperCase() === "LOGIN") {
      say("334 VXNlcm5hbWU6");
      await lines.next();
      say("334 UGFzc3dvcmQ6");
      await lines.next();
    } else if (initial === undefined) {
      say("334 ");
      await lines.next();
    }
    say("235 Welcome");
  }

  const fault = faults.take("connect");
  if (fault?.delayMs !== undefined) await sleep(fault.delayMs);
  if (fault?.drop === true) {
    socket.destroy();
    return;
  }
  if (!(await reply("greeting", "220 stand-in ESMTP"))) {
    socket.end();
    return;
  }
  const lines = readLines(socket);
  for (let next = await lines.next(); next.done !== true; next = await lines.next()) {
    await obey(next.value, lines);
  }
}

/** Lines without their end. Ends with the connection. */
async function* readLines(socket: Socket): AsyncGenerator<string, undefined> {
  let rest = "";
  for await (const chunk of socket) {
    rest += String(chunk);
    if (rest.length > MAX_MESSAGE_BYTES) {
      socket.destroy();
      return;
    }
    const lines = rest.split("\r\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

/** A dot before a line that begins with one is taken off again (RFC 5321 section 4.5.2). */
async function readMessage(lines: AsyncIterator<string, undefined>): Promise<string> {
  const message: string[] = [];
  for (let next = await lines.next(); next.done !== true; next = await lines.next()) {
    if (next.value === ".") break;
    message.push(next.value.startsWith(".") ? next.value.slice(1) : next.value);
  }
  return message.join("\r\n");
}
