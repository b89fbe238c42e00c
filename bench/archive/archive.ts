import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { bundleEngine } from "./bundle.ts";
import { SERVER_ALLOCATOR, SERVER_FLAGS } from "../../scripts/server-memory.mjs";
import { startChild } from "../rigs/child.ts";
import { isInstalled } from "./installed.ts";
import { measure, type Measured } from "./measure.ts";

/** 2.1 GB of segments. */
const SEGMENTS = 252;

export type ToolFigures = {
  readonly megabytesPerSec: number;
  readonly cpuSecPerGb: number;
  readonly peakMb: number;
};

export type ArchiveFigures = {
  readonly tools: Readonly<Record<string, ToolFigures>>;
  /** Vodkeep's speed divided by that of the fastest rival in the same run. */
  readonly ratioToBest: number;
  readonly bestRival: string;
};

/** Bundled into dist/ of the repository, where its packages are resolved. */
const ENGINE_FOLDER = fileURLToPath(new URL("../../dist/bench", import.meta.url));
const ENGINE = join(ENGINE_FOLDER, "vodkeep.js");

const OURS = "Vodkeep";

type Tool = {
  readonly name: string;
  readonly command: string;
  /** curl only downloads: it shows the machine's limit and is no rival. */
  readonly isRival: boolean;
  readonly args: (playlistUrl: string, folder: string) => readonly string[];
};

const TOOLS: readonly Tool[] = [
  {
    name: OURS,
    command: process.execPath,
    isRival: false,
    args: (url, folder) => [...SERVER_FLAGS, ENGINE, folder, url, String(SEGMENTS * 10)],
  },
  {
    name: "yt-dlp -N 8",
    command: "yt-dlp",
    isRival: true,
    args: (url, folder) => [
      ..."--no-config --no-progress --quiet --no-warnings -N 8 --hls-use-mpegts".split(" "),
      ..."--downloader native --fixup never --no-part -o".split(" "),
      join(folder, "out.ts"),
      url,
    ],
  },
  {
    name: "ffmpeg -c copy",
    command: "ffmpeg",
    isRival: true,
    args: (url, folder) => [
      ..."-nostdin -v error -y -i".split(" "),
      url,
      ..."-c copy -f mpegts".split(" "),
      join(folder, "out.ts"),
    ],
  },
  {
    name: "streamlink",
    command: "streamlink",
    isRival: true,
    args: (url, folder) => [
      ..."--loglevel error --stream-segment-threads 8 --force -o".split(" "),
      join(folder, "out.ts"),
      `hls://${url}`,
      "best",
    ],
  },
  {
    name: "curl, 8 at a time",
    command: "curl",
    isRival: false,
    args: (url, folder) => [
      ..."--silent --fail --parallel --parallel-immediate --parallel-max 8 --output".split(" "),
      join(folder, "#1.ts"),
      url.replace("index.m3u8", `[0-${SEGMENTS - 1}].ts`),
    ],
  },
];

/**
 * Copies the same 2 GB from a loopback origin with each archiver in turn, `rounds` times, and takes
 * the median. Each byte is written to a real disk; Vodkeep also reads every part back.
 */
export async function benchArchive(
  rounds: number,
  report: (line: string) => void,
): Promise<ArchiveFigures> {
  await bundleEngine(ENGINE_FOLDER);
  const folder = await mkdtemp(join(tmpdir(), "vodkeep-bench-"));
  const mediaFolder = join(tmpdir(), "vodkeep-bench-media");
  const origin = await startChild("bench/archive/origin.ts", {}, [mediaFolder, String(SEGMENTS)]);
  const url = `http://127.0.0.1:${String(origin.ready.port)}/vod/index.m3u8`;
  const totalBytes = Number(origin.ready.totalBytes);
  const runs = new Map<string, Measured[]>();
  try {
    for (let round = 1; round <= rounds; round += 1) {
      for (const tool of TOOLS) {
        if (!isInstalled(tool.command)) {
          if (round === 1) report(`${tool.name} is not installed here: left out`);
          continue;
        }
        const target = join(folder, `${round}-${TOOLS.indexOf(tool)}`);
        execFileSync("mkdir", [target]);
        execFileSync("sync");
        const measured = await measure(
          tool.command,
          tool.args(url, target),
          tool.name === OURS ? SERVER_ALLOCATOR : {},
        );
        requireWhole(tool.name, target, totalBytes);
        runs.set(tool.name, [...(runs.get(tool.name) ?? []), measured]);
        report(
          `round ${round}: ${tool.name} ${(totalBytes / 1e6 / measured.wallSec).toFixed(0)} MB/s`,
        );
        await rm(target, { recursive: true });
      }
    }
  } finally {
    await origin.stop();
    await rm(folder, { recursive: true, force: true });
  }
  return summarize(runs, totalBytes);
}

/** Incomplete copies are not compared. ffmpeg rewrites the container: 2% is allowed. */
function requireWhole(name: string, folder: string, totalBytes: number): void {
  const listing = execFileSync("du", ["-sb", folder], { encoding: "utf8" });
  const storedBytes = Number(listing.split("\t")[0]);
  if (storedBytes < totalBytes * 0.98) throw new Error(`${name} stored only ${storedBytes} bytes`);
}

function summarize(runs: ReadonlyMap<string, readonly Measured[]>, totalBytes: number) {
  const tools: Record<string, ToolFigures> = {};
  for (const [name, measured] of runs) {
    const middle = [...measured].sort((left, right) => left.wallSec - right.wallSec)[
      Math.floor(measured.length / 2)
    ];
    if (middle === undefined) continue;
    tools[name] = {
      megabytesPerSec: Math.round(totalBytes / 1e6 / middle.wallSec),
      cpuSecPerGb: Number((middle.cpuSec / (totalBytes / 1e9)).toFixed(2)),
      peakMb: Math.round(middle.peakBytes / 1e6),
    };
  }
  const rivals = TOOLS.filter((tool) => tool.isRival && tools[tool.name] !== undefined);
  const best = rivals.toSorted(
    (left, right) =>
      (tools[right.name]?.megabytesPerSec ?? 0) - (tools[left.name]?.megabytesPerSec ?? 0),
  )[0];
  const bestSpeed = best === undefined ? 0 : (tools[best.name]?.megabytesPerSec ?? 0);
  const own = tools[OURS]?.megabytesPerSec ?? 0;
  return {
    tools,
    ratioToBest: bestSpeed === 0 ? 0 : Number((own / bestSpeed).toFixed(2)),
    bestRival: best?.name ?? "none",
  };
}
