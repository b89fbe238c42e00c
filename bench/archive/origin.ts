import { createServer } from "node:http";
import process from "node:process";
import { openMedia } from "./media.ts";

/**
 * A cheap loopback source: segments served from memory. Arguments: the media folder, and the number
 * of segments in the playlist.
 */
const [folder = "", count = "0"] = process.argv.slice(2);
const media = openMedia(folder);

function segment(index: number): Uint8Array {
  return media[index % media.length] ?? new Uint8Array();
}

function playlist(): string {
  const lines = [
    "#EXTM3U",
    "#EXT-X-VERSION:3",
    "#EXT-X-TARGETDURATION:10",
    "#EXT-X-MEDIA-SEQUENCE:0",
  ];
  for (let index = 0; index < Number(count); index += 1) {
    // Timestamps start again when the media repeats.
    if (index > 0 && index % media.length === 0) lines.push("#EXT-X-DISCONTINUITY");
    lines.push("#EXTINF:10.000,", `${index}.ts`);
  }
  return `${[...lines, "#EXT-X-ENDLIST"].join("\n")}\n`;
}

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const name = /\/(\d+)\.ts$/.exec(request.url ?? "")?.[1];
  const body = name === undefined ? Buffer.from(playlist()) : segment(Number(name));
  response.writeHead(200, {
    "content-type": name === undefined ? "application/vnd.apple.mpegurl" : "video/mp2t",
    "content-length": body.byteLength,
  });
  response.end(request.method === "HEAD" ? undefined : body);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  const sizes = Array.from({ length: Number(count) }, (_, index) => segment(index).byteLength);
  const totalBytes = sizes.reduce((sum, size) => sum + size, 0);
  process.stdout.write(`${JSON.stringify({ ready: true, port, totalBytes })}\n`);
});
