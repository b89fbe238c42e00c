import "reflect-metadata";
import { randomBytes } from "node:crypto";
import { isIP } from "node:net";
import * as x509 from "@peculiar/x509";
import type { Certificate } from "./certificate.ts";

/** Every browser accepts it. */
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/**
 * A certificate for these names and addresses that its own key has signed. It can be added to a
 * system's authorities, and signs no other.
 */
export async function signCertificate(
  names: readonly string[],
  notBeforeMs: number,
  notAfterMs: number,
): Promise<Certificate> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    keys,
    signingAlgorithm: ALGORITHM,
    // Positive, and not empty (RFC 5280 section 4.1.2.2).
    serialNumber: `01${randomBytes(15).toString("hex")}`,
    name: "CN=Vodkeep",
    notBefore: new Date(notBeforeMs),
    notAfter: new Date(notAfterMs),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? "dns" : "ip", value })),
      ),
    ],
  });
  const pkcs8 = await crypto.subtle.exportKey("pkcs8", keys.privateKey);
  return {
    cert: certificate.toString("pem"),
    key: x509.PemConverter.encode(pkcs8, "PRIVATE KEY"),
  };
}
