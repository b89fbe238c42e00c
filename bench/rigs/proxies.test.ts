import { spawn, type ChildProcess } from "node:child_process";
import { hash, randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Agent, fetch as fetchWith } from "undici";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as auth from "#contract/auth.ts";
import * as files from "#contract/files.ts";
import { MANUAL_UPLOADS_PATH } from "#contract/manual-uploads.ts";
import { TEST_CERTIFICATE } from "#hosts/node/testing/test-certificate.ts";
import { findFreePort } from "#hosts/node/testing/free-port.ts";
import { makeTemporaryFolder } from "#hosts/node/testing/temporary-folder.ts";
import { TestClient } from "#service/testing/test-client.ts";
import { createTusUpload, sendTusBytes } from "#service/testing/tus-requests.ts";
import { ADMIN } from "#service/testing/test-service.ts";
import { startChild, type Child } from "./child.ts";

/** Runs Debian's servers with the configurations of deploy/ in front of the node host, over TLS. */

const DEPLOY = fileURLToPath(new URL("../../deploy/", import.meta.url));

/** Above nginx's default limit of 1 MB, and two parts of the store. */
const FILE_BYTES = 12 * 1024 * 1024;

type Ports = { readonly proxy: number; readonly host: number };
type Proxy = (folder: string, ports: Ports) => ChildProcess;

let folder: { path: string; remove(): Promise<void> };
let host: Child;
let proxy: ChildProcess;
let ports: Ports;
let agent: Agent;
let url: string;

beforeEach(async () => {
  folder = await makeTemporaryFolder();
  ports = { proxy: await findFreePort(), host: await findFreePort() };
  url = `https://localhost:${ports.proxy}`;
  host = await startChild(
    "hosts/node/main.ts",
    {
      DATA_DIR: `${folder.path}/data`,
      PORT: String(ports.host),
      PUBLIC_URL: url,
      TRUSTED_PROXIES: "127.0.0.1",
    },
    [],
    // The stand-ins, which would still save their state in the folder while it is removed.
    { hasChildren: true },
  );
  const { cert, key } = TEST_CERTIFICATE;
  for (const [ending, text] of Object.entries({ key, crt: cert, pem: cert + key }))
    writeFileSync(`${folder.path}/proxy.${ending}`, text);
  agent = new Agent({ connect: { ca: cert } });
});

afterEach(async () => {
  await agent.destroy();
  // Not SIGKILL: the workers of nginx would outlive their master.
  proxy.kill("SIGTERM");
  await once(proxy, "exit");
  await host.kill();
  await folder.remove();
});

const PROXIES: readonly (readonly [string, Proxy])[] = [
  ["nginx", startNginx],
  ["Caddy", startCaddy],
  ["HAProxy", startHaproxy],
];

test.each(PROXIES)(
  "%s proxies sign-in, events, uploads and range requests, and compresses answers",
  async (_name, start) => {
    proxy = start(folder.path, ports);
    await vi.waitFor(async () => expect((await serve(new Request(url))).status).toBe(200), 180_000);

    const client = new TestClient(serve, url, url);
    await client.signIn(ADMIN);
    expect([...client.cookies.keys()].join()).toContain("__Host-");

    const { streamTicket } = await client.expect(auth.streamTicket);
    const events = await client.send("GET", `/admin/uploads/stream?token=${streamTicket}`, {
      headers: { accept: "text/event-stream" },
    });
    const first = await events.body?.getReader().read();
    expect(new TextDecoder().decode(first?.value)).toContain('"type":"connection"');

    const bytes = randomBytes(FILE_BYTES);
    await sendWhole(client, bytes);
    const list = await client.send("GET", files.browseFiles.path);
    expect(list.headers.get("content-encoding")).toMatch(/^(?:gzip|zstd)$/);
    const file = await vi.waitFor(async () => {
      const found = (await client.expect(files.browseFiles)).files[0];
      expect(found?.status).toBe("complete");
      return found;
    }, 180_000);
    const { downloadUrl } = await client.expect(
      files.getFile,
      `/admin/r2/file/${(file?.key ?? "").split("/").map(encodeURIComponent).join("/")}?download=true`,
    );
    const range = await client.send("GET", downloadUrl ?? "", {
      headers: { range: "bytes=8388600-8388700" },
    });
    expect(range.status).toBe(206);
    expect(Buffer.from(await range.arrayBuffer())).toEqual(bytes.subarray(8388600, 8388701));
    const whole = await client.send("GET", downloadUrl ?? "");
    expect(whole.headers.has("content-encoding")).toBe(false);
    expect(hash("sha256", Buffer.from(await whole.arrayBuffer()))).toBe(hash("sha256", bytes));
  },
);

test.each(PROXIES)("clients behind %s cannot spoof their address", async (_name, start) => {
  proxy = start(folder.path, ports);
  await vi.waitFor(async () => expect((await serve(new Request(url))).status).toBe(200), 180_000);
  const statuses = new Set<number>();
  for (let turn = 0; turn < 60; turn += 1) {
    const headers = { "x-forwarded-for": `203.0.113.${turn}` };
    statuses.add((await serve(new Request(`${url}/admin/auth/login`, { headers }))).status);
  }
  expect(statuses).toContain(429);
});

test.each(PROXIES)("a refused upload behind %s costs no other request", async (_name, start) => {
  proxy = start(folder.path, ports);
  await vi.waitFor(async () => expect((await serve(new Request(url))).status).toBe(200), 180_000);
  for (const allowH2 of [false, true]) {
    await agent.destroy();
    agent = new Agent({ connect: { ca: TEST_CERTIFICATE.cert }, allowH2, connections: 1 });
    for (const sizeBytes of [1, 70_000, 300_000, 2_000_000, 8_000_000])
      for (const path of ["/admin/uploads", MANUAL_UPLOADS_PATH]) {
        const body = Buffer.alloc(sizeBytes);
        const refused = await serve(new Request(url + path, { method: "POST", body }));
        expect([refused.status, await refused.text()]).toEqual([
          401,
          expect.stringContaining("sign in"),
        ]);
        expect((await serve(new Request(`${url}/healthz`))).status).toBe(200);
      }
  }
});

/** Sends the whole file in one request, the default of tus clients. */
async function sendWhole(client: TestClient, bytes: Buffer<ArrayBuffer>): Promise<void> {
  const created = await createTusUpload(client, {
    "upload-length": String(bytes.byteLength),
    "upload-metadata": `filename ${btoa("behind a proxy.mp4")}`,
  });
  expect(created.status).toBe(201);
  const location = new URL(created.headers.get("location") ?? "", url);
  const sent = await sendTusBytes(client, location.href, 0, bytes);
  expect([sent.status, sent.headers.get("upload-offset")]).toEqual([204, String(FILE_BYTES)]);
}

async function serve(request: Request): Promise<Response> {
  const { status, headers, body } = await fetchWith(request.url, {
    method: request.method,
    headers: [...request.headers],
    body: request.body === null ? null : Buffer.from(await request.arrayBuffer()),
    dispatcher: agent,
  });
  return new Response(body, { status, headers: [...headers] });
}

/** A configuration of deploy/ with this test's ports and certificate. */
function configure(name: string, replacements: Readonly<Record<string, string>>): string {
  let text = readFileSync(DEPLOY + name, "utf8");
  for (const [from, to] of Object.entries(replacements)) {
    if (!text.includes(from)) throw new Error(`deploy/${name} does not contain "${from}"`);
    text = text.replaceAll(from, to);
  }
  return text;
}

function run(program: string, args: readonly string[]): ChildProcess {
  return spawn(program, args, {
    stdio: "ignore",
    env: { HOME: folder.path, PATH: process.env.PATH },
  });
}

function startNginx(path: string, { proxy: port, host: upstream }: Ports): ChildProcess {
  const site = configure("nginx.conf", {
    "listen 443 ssl http2;": `listen 127.0.0.1:${port} ssl http2;`,
    "/etc/ssl/vods.example.org": `${path}/proxy`,
    "vods.example.org;": "localhost;",
    "127.0.0.1:8787": `127.0.0.1:${upstream}`,
  });
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `${kind}_temp_path ${path}/${kind};`)
    .join(" ");
  writeFileSync(
    `${path}/nginx.conf`,
    `daemon off; user root; pid ${path}/nginx.pid; error_log ${path}/nginx.log;
     events {} http { access_log off; ${temporary} ${site} }`,
  );
  return run("/usr/sbin/nginx", ["-c", `${path}/nginx.conf`, "-e", `${path}/nginx.log`]);
}

function startCaddy(path: string, { proxy: port, host: upstream }: Ports): ChildProcess {
  const site = configure("Caddyfile", {
    "vods.example.org {": `https://localhost:${port} {\n\ttls ${path}/proxy.crt ${path}/proxy.key`,
    "127.0.0.1:8787": `127.0.0.1:${upstream}`,
  });
  writeFileSync(`${path}/Caddyfile`, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`);
  return run("/usr/bin/caddy", ["run", "--config", `${path}/Caddyfile`, "--adapter", "caddyfile"]);
}

function startHaproxy(path: string, { proxy: port, host: upstream }: Ports): ChildProcess {
  const sections = configure("haproxy.cfg", {
    ":443": `127.0.0.1:${port}`,
    "/etc/haproxy/vods.example.org.pem": `${path}/proxy.pem`,
    "127.0.0.1:8787": `127.0.0.1:${upstream}`,
  });
  writeFileSync(`${path}/haproxy.cfg`, `global\n    maxconn 200\n${sections}`);
  return run("/usr/sbin/haproxy", ["-db", "-f", `${path}/haproxy.cfg`]);
}
