import { foreignWords } from "#service/secrets/foreign-words.ts";
import { MailError, type MailTransport } from "#service/ports/mail.ts";
import { isLoopback } from "#service/loopback.ts";
import type { Settings } from "#service/settings.ts";

/** SMTP transport for SMTP_URL; null without one. The library is loaded with the first mail. */
export function openMailTransport(
  settings: Pick<Settings, "SMTP_URL" | "MAIL_FROM">,
): MailTransport | null {
  const { SMTP_URL: address, MAIL_FROM: from } = settings;
  if (address === undefined || from === undefined) return null;
  return {
    async send(message, timeoutMs) {
      refuseLineBreaks([message.to, message.subject, message.messageId]);
      const transport = await connectTo(address, timeoutMs);
      const deadline = afterMs(timeoutMs);
      try {
        await Promise.race([
          transport.sendMail({
            from,
            // An object is always one address, whatever characters it contains.
            to: { name: "", address: message.to },
            subject: message.subject,
            text: message.text,
            html: message.html,
            messageId: message.messageId,
            // Suppresses out-of-office replies (RFC 3834 section 5).
            headers: { "Auto-Submitted": "auto-generated" },
          }),
          deadline.passed,
        ]);
      } catch (error) {
        throw toMailError(error);
      } finally {
        deadline.clear();
        transport.close();
      }
    },
    async verify(timeoutMs) {
      const transport = await connectTo(address, timeoutMs);
      const deadline = afterMs(timeoutMs);
      try {
        await Promise.race([transport.verify(), deadline.passed]);
      } catch (error) {
        throw toMailError(error);
      } finally {
        deadline.clear();
        transport.close();
      }
    },
  };
}

async function connectTo(address: string, timeoutMs: number) {
  const url = new URL(address);
  // The library takes options from it, which could switch its checks off.
  url.search = "";
  const { createTransport } = await import("nodemailer");
  return createTransport({
    url: url.href,
    // Passwords require encryption, except on the loopback interface.
    requireTLS: url.username !== "" && !isLoopback(url.hostname),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // A message must not make the library read files or URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** A line break would start another header (RFC 5322 section 2.2). */
function refuseLineBreaks(headers: readonly string[]): void {
  if (headers.some((text) => /[\r\n\0]/.test(text))) {
    throw new MailError("refused", "an address or subject holds a line break");
  }
}

/** The library's timeouts each cover one step; this one covers all of them. */
function afterMs(timeoutMs: number): { passed: Promise<never>; clear(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const passed = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new MailError("unavailable", "the mail server is too slow")),
      timeoutMs,
    );
  });
  return { passed, clear: () => clearTimeout(timer) };
}

/** 5xx is final, 4xx is temporary (RFC 5321 section 4.2.1); no response is a connection error. */
function toMailError(error: unknown): MailError {
  if (error instanceof MailError) return error;
  const { responseCode, response, code, originalCode } = fieldsOf(error);
  if (typeof responseCode === "number" && typeof response === "string") {
    // A refused password concerns the operator's settings: later attempts may succeed.
    const isFinal = responseCode >= 500 && code !== "EAUTH";
    return new MailError(isFinal ? "refused" : "unavailable", foreignWords(response), {
      cause: error,
    });
  }
  if (code === "EENVELOPE") {
    return new MailError("refused", "the address is not one it can send to", { cause: error });
  }
  const certificateError = certificateErrorOf(error);
  if (certificateError !== null) {
    return new MailError(
      "unavailable",
      `its TLS certificate is not trusted (${certificateError}). ` +
        "Set NODE_EXTRA_CA_CERTS to a file with the certificate or its issuer, and restart.",
      { cause: error },
    );
  }
  return new MailError("unavailable", `no connection (${String(originalCode ?? code)})`, {
    cause: error,
  });
}

/** OpenSSL's and Node's codes for certificates that fail verification, e.g. DEPTH_ZERO_SELF_SIGNED_CERT. */
function certificateErrorOf(error: unknown): string | null {
  const { originalCode } = fieldsOf(error);
  const isCertificateError =
    typeof originalCode === "string" && /CERT|ISSUER|HOSTNAME/.test(originalCode);
  return isCertificateError && error instanceof Error ? error.message : null;
}

function fieldsOf(error: unknown): {
  responseCode?: unknown;
  response?: unknown;
  code?: unknown;
  originalCode?: unknown;
} {
  return typeof error === "object" && error !== null ? error : {};
}
