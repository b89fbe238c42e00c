import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import * as auth from "#contract/auth.ts";
import { runVodkeep } from "#hosts/node/testing/run.ts";
import { makeTemporaryFolder } from "#hosts/node/testing/temporary-folder.ts";
import { chooseAccount, TestClient } from "#service/testing/test-client.ts";
import { startArchive } from "#service/testing/start-archive.ts";
import { ADMIN } from "#service/testing/test-service.ts";
import { APPLICATION } from "#stand-ins/twitch/world.ts";
import { startChild } from "./child.ts";
import { TWITCH_CERTIFICATE, startTwitchHosts } from "./twitch-hosts.ts";
import { untilCompleted } from "./until-completed.ts";

const REROUTE = fileURLToPath(new URL("./reroute-tls.ts", import.meta.url));

/**
 * Nothing is set but the application: addresses and allowlist are the defaults, and Twitch's host
 * names and TLS are used. Only name resolution and the certificate authority are the test's.
 */
async function open() {
  const folder = await makeTemporaryFolder();
  onTestFinished(() => folder.remove());
  const twitch = await startTwitchHosts();
  onTestFinished(() => twitch.close());
  writeFileSync(`${folder.path}/authority.pem`, TWITCH_CERTIFICATE.cert);
  const environment = {
    DATA_DIR: `${folder.path}/data`,
    PORT: "0",
    TWITCH_CLIENT_ID: APPLICATION.clientId,
    TWITCH_CLIENT_SECRET: APPLICATION.clientSecret,
    ADMIN_TWITCH_IDS: ADMIN,
    NODE_EXTRA_CA_CERTS: `${folder.path}/authority.pem`,
    NODE_OPTIONS: `--import=${REROUTE}`,
    REROUTED_TO_PORT: String(twitch.port),
  };
  return { twitch, environment };
}

test("a VOD is archived byte for byte from Twitch's own host names over TLS", async () => {
  const { twitch, environment } = await open();
  const host = await startChild("hosts/node/main.ts", environment);
  onTestFinished(() => host.kill());
  const url = `http://localhost:${String(host.ready["port"])}`;
  const client = new TestClient(fetch, url, url);

  const { authUrl } = await client.expect(auth.login);
  expect(authUrl).toMatch(/^https:\/\/id\.twitch\.tv\/oauth2\/authorize\?/);
  // The browser's part of the sign-in.
  const body = await chooseAccount(
    authUrl.replace("https://id.twitch.tv", twitch.standIn.url),
    ADMIN,
  );
  client.token = (await client.expect(auth.callback, auth.callback.path, { body })).token;

  const { id: vodId } = twitch.standIn.control.addVod({ segmentCount: 6 });
  const { id } = await startArchive(client, vodId);
  const upload = await untilCompleted(client, id);
  const stored = await readFile(`${environment.DATA_DIR}/objects/${upload.fileKey ?? ""}`);
  const { sha256 } = await twitch.standIn.control.sourceDigest(vodId);
  expect(hash("sha256", stored)).toBe(sha256);
  expect([...twitch.asked].toSorted()).toEqual(twitch.everyHost.toSorted());
  expect(twitch.refused).toEqual([]);
});

test("the doctor finds every one of Twitch's hosts by its default name", async () => {
  const { twitch, environment } = await open();
  // The disks of test machines may be nearly full.
  const settings = { ...environment, STORAGE_RESERVE_GB: "0.001" };
  const { code, stdout } = await runVodkeep(["doctor"], settings);
  expect(code).toBe(0);
  expect(stdout).not.toMatch(/^(?:advice|problem)/m);
  expect([...twitch.asked].toSorted()).toEqual(twitch.everyHost.toSorted());
  expect(twitch.refused).toEqual([]);
});
