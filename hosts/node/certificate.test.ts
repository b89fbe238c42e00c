import { X509Certificate } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readSettings } from "#service/settings.ts";
import { readCertificate } from "./certificate.ts";
import { makeTemporaryFolder } from "./testing/temporary-folder.ts";
import { TEST_CERTIFICATE } from "./testing/test-certificate.ts";

const NOW_MS = Date.UTC(2026, 10, 29);
const DAY_MS = 86_400_000;

let folder: Awaited<ReturnType<typeof makeTemporaryFolder>>;
beforeEach(async () => {
  folder = await makeTemporaryFolder();
});
afterEach(() => folder.remove());

function read(settings: Readonly<Record<string, string>>, nowMs = NOW_MS) {
  return readCertificate(readSettings(settings), folder, nowMs);
}

async function serial(settings: Readonly<Record<string, string>>, days = 0): Promise<string> {
  const certificate = await read(settings, NOW_MS + days * DAY_MS);
  return new X509Certificate(certificate?.cert ?? "").serialNumber;
}

function written(name: string, text: string): string {
  const path = join(folder.path, name);
  writeFileSync(path, text);
  return path;
}

it("is null without a setting", async () => {
  expect(await read({})).toBeNull();
});

describe("a self-signed certificate", () => {
  const NAS = { TLS: "self-signed", PUBLIC_URL: "https://192.168.1.20:8787" };

  it("is for the addresses of the deployment, and signed by its own key", async () => {
    const made = await read({ ...NAS, CONSOLE_URL: "https://nas.example:8787,https://[fd00::1]" });
    const certificate = new X509Certificate(made?.cert ?? "");
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(["nas.example", "localhost"].map((name) => certificate.checkHost(name))).toEqual([
      "nas.example",
      "localhost",
    ]);
    expect(["192.168.1.20", "fd00::1"].map((ip) => certificate.checkIP(ip))).toEqual([
      "192.168.1.20",
      "fd00::1",
    ]);
  });

  it("is kept until its last month, another name, or a half that is lost", async () => {
    const moved = { ...NAS, PUBLIC_URL: "https://nas.example" };
    const first = await serial(NAS);
    expect(await serial(NAS, 790)).toBe(first);
    const renewed = await serial(NAS, 800);
    expect(renewed).not.toBe(first);
    const other = await serial(moved);
    expect(other).not.toBe(renewed);
    rmSync(join(folder.path, "self-signed.key"));
    const remade = await serial(moved);
    expect(remade).not.toBe(other);
    expect(await serial(moved)).toBe(remade);
  });
});

describe("files of a certificate", () => {
  it("are used as they are", async () => {
    const TLS_CERT = written("a.crt", TEST_CERTIFICATE.cert);
    const TLS_KEY = written("a.key", TEST_CERTIFICATE.key);
    expect(await read({ TLS_CERT, TLS_KEY })).toEqual(TEST_CERTIFICATE);
  });

  it.each<[string, string, RegExp]>([
    ["", TEST_CERTIFICATE.key, /^TLS_CERT has no certificate in PEM\.$/],
    [TEST_CERTIFICATE.cert, "", /^TLS_KEY has no private key without a passphrase in PEM\.$/],
  ])("are refused if one is empty", async (cert, key, sentence) => {
    const files = { TLS_CERT: written("a.crt", cert), TLS_KEY: written("a.key", key) };
    await expect(read(files)).rejects.toThrow(sentence);
  });

  it("are refused if they do not belong together, or are not there", async () => {
    const own = await read({ TLS: "self-signed" });
    const TLS_CERT = written("a.crt", TEST_CERTIFICATE.cert);
    const TLS_KEY = written("a.key", own?.key ?? "");
    await expect(read({ TLS_CERT, TLS_KEY })).rejects.toThrow(
      "TLS_KEY is not the key of the first certificate in TLS_CERT.",
    );
    rmSync(TLS_KEY);
    await expect(read({ TLS_CERT, TLS_KEY })).rejects.toThrow(/^TLS_KEY .+ cannot be read: ENOENT/);
  });
});

it.each<[Record<string, string>, string]>([
  [
    { TLS: "on" },
    "TLS must be self-signed; for a certificate of your own set TLS_CERT and TLS_KEY.",
  ],
  [{ TLS_CERT: "/a" }, "TLS_KEY must be set with TLS_CERT."],
  [
    { TLS: "self-signed", TLS_CERT: "/a", TLS_KEY: "/b" },
    "TLS must not be set with TLS_CERT, which names another certificate.",
  ],
  [
    { TLS: "self-signed", PUBLIC_URL: "http://nas:8787" },
    "PUBLIC_URL must be an https address, as TLS is on.",
  ],
])("refuses %j", (settings, sentence) => {
  expect(() => readSettings(settings)).toThrow(sentence);
});

it("makes the default address an https one", () => {
  expect(readSettings({ TLS: "self-signed" }).PUBLIC_URL).toBe("https://localhost:8787");
});
