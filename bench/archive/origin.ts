import { createHash } from "node:crypto";
import { createServer as createPlainServer, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { TEST_CERTIFICATE } from "#hosts/node/testing/test-certificate.ts";
import { openMedia } from "./media.ts";

/**
 * A cheap loopback source: segments served from memory, at
 * `/<segments of 10 s>/<pieces that each of them is cut into>/<MB/s in total>/index.m3u8`; 0 MB/s is
 * no limit. Arguments: the media folder, the number of segments to print the digest of, and
 * whether to use TLS.
 */
const [folder = "", count = "0", protocol] = process.argv.slice(2);
const media = openMedia(folder);
const PACKET_BYTES = 188;

function piece(index: number, pieces: number): Uint8Array {
  const bytes = media[Math.floor(index / pieces) % media.length] ?? new Uint8Array();
  const packets = bytes.byteLength / PACKET_BYTES;
  const startOf = (nth: number) => Math.floor((packets * nth) / pieces) * PACKET_BYTES;
  return bytes.subarray(startOf(index % pieces), startOf((index % pieces) + 1));
}

function playlist(segments: number, pieces: number): string {
  const lines = [
    "#EXTM3U",
    "#EXT-X-VERSION:3",
    "#EXT-X-TARGETDURATION:10",
    "#EXT-X-MEDIA-SEQUENCE:0",
  ];
  for (let index = 0; index < segments * pieces; index += 1) {
    // Timestamps start again when the media repeats.
    if (index > 0 && index % (media.length * pieces) === 0) lines.push("#EXT-X-DISCONTINUITY");
    lines.push(`#EXTINF:${(10 / pieces).toFixed(3)},`, `${index}.ts`);
  }
  return `${[...lines, "#EXT-X-ENDLIST"].join("\n")}\n`;
}

const PACED_BYTES = 64 * 1024;
let freeAtMs = 0;

/** All paced responses share one rate. */
async function sendPaced(response: ServerResponse, body: Uint8Array, megabytesPerSec: number) {
  for (let at = 0; at < body.byteLength; at += PACED_BYTES) {
    const next = body.subarray(at, at + PACED_BYTES);
    freeAtMs = Math.max(freeAtMs, performance.now()) + next.byteLength / megabytesPerSec / 1e3;
    await pause(Math.max(0, freeAtMs - performance.now()));
    response.write(next);
  }
  response.end();
}

const create =
  protocol === "tls" ? createTlsServer.bind(null, TEST_CERTIFICATE) : createPlainServer;
const server = create((request, response) => {
  const [, segments, pieces, megabytesPerSec, name = ""] = (request.url ?? "").split("/");
  const isPlaylist = name === "index.m3u8";
  const body = isPlaylist
    ? Buffer.from(playlist(Number(segments), Number(pieces)))
    : piece(Number.parseInt(name, 10), Number(pieces));
  response.writeHead(200, {
    "content-type": isPlaylist ? "application/vnd.apple.mpegurl" : "video/mp2t",
    "content-length": body.byteLength,
  });
  if (request.method !== "HEAD" && Number(megabytesPerSec) > 0)
    void sendPaced(response, body, Number(megabytesPerSec));
  else response.end(request.method === "HEAD" ? undefined : body);
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  const sha256 = createHash("sha256");
  let totalBytes = 0;
  for (let index = 0; index < Number(count); index += 1) {
    sha256.update(piece(index, 1));
    totalBytes += piece(index, 1).byteLength;
  }
  const digest = sha256.digest("hex");
  process.stdout.write(`${JSON.stringify({ ready: true, port, totalBytes, sha256: digest })}\n`);
});
