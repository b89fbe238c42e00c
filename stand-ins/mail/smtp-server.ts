import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { callbackify } from "node:util";
import { SMTPServer, type SMTPServerSession } from "smtp-server";
import type { Faults, Stage } from "./faults.ts";

export type Envelope = { readonly from: string; readonly recipients: readonly string[] };

/** Far larger than any notification. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

export type SmtpServerOptions = {
  readonly faults: Faults;
  /** Offers STARTTLS with a self-signed certificate, as newly installed mail servers do. */
  readonly offersTls: boolean;
  readonly deliver: (envelope: Envelope, source: Buffer) => Promise<void>;
};

/** An SMTP server that accepts any sender, recipient, user name and password. */
export function createSmtpServer({ faults, offersTls, deliver }: SmtpServerOptions): SMTPServer {
  const sockets = new Map<number, Socket>();

  /** @throws when a fault refuses this stage; never resolves when it drops the connection */
  async function pass(stage: Stage, session: SMTPServerSession): Promise<void> {
    const fault = faults.take(stage);
    if (fault?.delayMs !== undefined) await sleep(fault.delayMs);
    if (fault?.drop === true) {
      sockets.get(session.remotePort)?.destroy();
      await new Promise<never>(() => undefined);
    }
    if (fault?.reply !== undefined) throw toReply(fault.reply);
  }

  const smtp = new SMTPServer({
    size: MAX_MESSAGE_BYTES,
    authOptional: true,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    hideENHANCEDSTATUSCODES: true,
    disabledCommands: offersTls ? [] : ["STARTTLS"],
    closeTimeout: 1,
    // Also acknowledges that the certificate is the library's public one.
    logger: false,
    onAuth: (_auth, _session, done) => done(null, { user: "anyone" }),
    onConnect: (session, done) =>
      answer(async () => {
        await pass("connect", session);
        await pass("greeting", session);
      }, done),
    onMailFrom: (_address, session, done) => answer(() => pass("from", session), done),
    onRcptTo: (_address, session, done) => answer(() => pass("recipient", session), done),
    onData: (stream, session, done) =>
      answer(async () => {
        const source = Buffer.concat(await stream.toArray());
        await pass("message", session);
        const { mailFrom, rcptTo } = session.envelope;
        await deliver(
          {
            from: mailFrom === false ? "" : mailFrom.address,
            recipients: rcptTo.map(({ address }) => address),
          },
          source,
        );
      }, done),
  });
  // Aborted connections and refused handshakes concern only that connection.
  smtp.on("error", () => undefined);
  smtp.server.on("connection", (socket) => {
    const port = socket.remotePort ?? 0;
    sockets.set(port, socket);
    socket.once("close", () => sockets.delete(port));
  });
  return smtp;
}

function answer(work: () => Promise<void>, done: (error?: Error | null) => void): void {
  callbackify(work)((error) => done(error));
}

/** Converts a reply such as "550 5.1.1 No such user here" to the error that sends it. */
function toReply(reply: string): Error {
  const [, code, text] = /^(\d{3}) (.*)$/.exec(reply) ?? [];
  return Object.assign(new Error(text ?? reply), { responseCode: Number(code ?? 554) });
}
