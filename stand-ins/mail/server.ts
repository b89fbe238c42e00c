import { Hono } from "hono";
import { listen } from "../listen.ts";
import { serve } from "../serve.ts";
import { createFaults, type Fault } from "./faults.ts";
import { inboxPage } from "./inbox-page.ts";
import { readMail, type ReceivedMail } from "./mail-message.ts";
import { createSmtpServer } from "./smtp-server.ts";

export type MailStandIn = {
  /** The value of SMTP_URL. */
  readonly smtpUrl: string;
  /** The page that shows received mails. */
  readonly inboxUrl: string;
  readonly mails: readonly ReceivedMail[];
  /** Number of connections, including failed ones. */
  connectionCount(): number;
  addFault(fault: Fault): void;
  clearFaults(): void;
  close(): Promise<void>;
};

/** Beyond this the oldest mails are dropped. */
const MAX_MAILS = 500;

/** A mail server that accepts mail for any recipient, with a page that shows it. */
export async function startMailStandIn(options: {
  readonly host: string;
  readonly smtpPort: number;
  readonly httpPort: number;
  /** Offers STARTTLS with a self-signed certificate. */
  readonly offersTls?: boolean;
}): Promise<MailStandIn> {
  const { host } = options;
  const faults = createFaults();
  const mails: ReceivedMail[] = [];
  let connectionCount = 0;
  let mailCount = 0;

  const smtp = createSmtpServer({
    faults,
    offersTls: options.offersTls ?? false,
    async deliver(envelope, source) {
      mailCount += 1;
      mails.push(await readMail(mailCount, envelope, source));
      if (mails.length > MAX_MAILS) mails.shift();
    },
  });
  smtp.server.on("connection", () => {
    connectionCount += 1;
  });

  const app = new Hono().get("/", (c) => c.html(inboxPage(mails)));
  const smtpPort = await listen(smtp.server, host, options.smtpPort);
  const inbox = await serve(app, host, options.httpPort);

  return {
    smtpUrl: `smtp://${host}:${smtpPort}`,
    inboxUrl: `http://${host}:${inbox.port}`,
    mails,
    connectionCount: () => connectionCount,
    addFault: (fault) => faults.add(fault),
    clearFaults: () => faults.clear(),
    async close() {
      await Promise.all([new Promise<void>((done) => smtp.close(() => done())), inbox.close()]);
    },
  };
}
