import type { Socket } from "node:net";
import { callbackify } from "node:util";
import { Hono } from "hono";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";
import { listen } from "../listen.ts";
import { escapeHtml, page } from "../page.ts";
import { PendingFaults } from "../pending-faults.ts";
import { serve } from "../serve.ts";

/** The steps of an SMTP session at which a fault can occur. */
type Stage = "greeting" | "recipient" | "message";

/** A misbehaviour of the mail server, set by a test. */
type Fault = {
  readonly stage: Stage;
  /** The reply instead of the normal one, for example "550 5.1.1 No such user here". */
  readonly reply?: string;
  /** Closes the connection without a reply. */
  readonly drop?: boolean;
  times?: number;
};

/** A received mail: the session's envelope and the parsed message. */
type ReceivedMail = {
  readonly at: Date;
  readonly from: string;
  readonly recipients: readonly string[];
  /** Header names are in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly subject: string;
  readonly text: string;
  /** Empty for a message without an HTML part. */
  readonly html: string;
};

export type MailStandIn = Awaited<ReturnType<typeof startMailStandIn>>;

/** Beyond this the oldest mails are dropped. */
const MAX_MAILS = 500;

/** Far larger than any notification. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

/**
 * A mail server that accepts any sender, recipient, user name and password, with a page that shows
 * what it received. With TLS, it offers STARTTLS with a self-signed certificate, as newly installed
 * mail servers do.
 */
export async function startMailStandIn({ offersTls = false } = {}) {
  const faults = new PendingFaults<Fault>();
  const mails: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  let connectionCount = 0;

  /** @throws when a fault refuses this stage; never resolves when it drops the connection */
  async function pass(stage: Stage): Promise<void> {
    const fault = faults.take((each) => each.stage === stage);
    if (fault?.drop === true) {
      for (const socket of sockets) socket.destroy();
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
    onConnect: (_session, done) => answer(() => pass("greeting"), done),
    onRcptTo: (_address, _session, done) => answer(() => pass("recipient"), done),
    onData: (stream, { envelope: { mailFrom, rcptTo } }, done) =>
      answer(async () => {
        const source = Buffer.concat(await stream.toArray());
        await pass("message");
        const { headers, subject = "", text = "", html = "" } = await PostalMime.parse(source);
        mails.push({
          at: new Date(),
          from: mailFrom === false ? "" : mailFrom.address,
          recipients: rcptTo.map(({ address }) => address),
          headers: new Map(headers.map(({ key, value }) => [key, value])),
          subject,
          text,
          html,
        });
        if (mails.length > MAX_MAILS) mails.shift();
      }, done),
  });
  // Aborted connections and refused handshakes concern only that connection.
  smtp.on("error", () => undefined);
  smtp.server.on("connection", (socket) => {
    connectionCount += 1;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const smtpPort = await listen(smtp.server);
  const inbox = await serve(new Hono().get("/", (c) => c.html(inboxPage(mails))));

  return {
    /** The value of SMTP_URL. */
    smtpUrl: `smtp://127.0.0.1:${smtpPort}`,
    /** The page that shows received mails. */
    inboxUrl: inbox.url,
    mails,
    /** Number of connections, including failed ones. */
    connectionCount: () => connectionCount,
    addFault: (fault: Fault) => faults.add(fault),
    async close() {
      await Promise.all([new Promise<void>((done) => smtp.close(() => done())), inbox.close()]);
    },
  };
}

function answer(work: () => Promise<void>, done: (error?: Error | null) => void): void {
  callbackify(work)((error) => done(error));
}

/** Converts a reply such as "550 5.1.1 No such user here" to the error that sends it. */
function toReply(reply: string): Error {
  const [, code, text] = /^(\d{3}) (.*)$/.exec(reply) ?? [];
  return Object.assign(new Error(text ?? reply), { responseCode: Number(code ?? 554) });
}

/** A page with all received mails, newest first. */
function inboxPage(mails: readonly ReceivedMail[]): string {
  const articles = mails.toReversed().map(
    ({ subject, recipients, from, at, text }) => `<article><h2>${escapeHtml(subject)}</h2>
<p class="note">to ${escapeHtml(recipients.join(", "))} from ${escapeHtml(from)}, ${at.toISOString()}</p>
<pre>${escapeHtml(text)}</pre></article>`,
  );
  const note =
    "Every mail the service sends ends here, whomever it is for. Nothing leaves this machine.";
  return page(
    "Mail stand-in",
    `<h1>Mail stand-in: inbox</h1><p class="note">${note}</p>
    ${articles.length === 0 ? "<p>No mail yet.</p>" : articles.join("")}`,
    3,
  );
}
