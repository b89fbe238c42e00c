import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { makeTemporaryFolder } from "#hosts/node/testing/temporary-folder.ts";
import { TEST_CERTIFICATE } from "#hosts/node/testing/test-certificate.ts";
import { NODE_BUNDLE } from "../../scripts/node-bundle.mjs";
import { SERVER_ALLOCATOR, SERVER_FLAGS } from "../../program/server-memory.cjs";
import { startChild } from "../rigs/child.ts";
import { medianBy } from "../median.ts";
import { measure, type Measured } from "./measure.ts";

/** 2.1 GB of segments. */
const SEGMENTS = 252;
const SEGMENT_MB = 8.4;

export type ToolFigures = ReturnType<typeof figuresOf>;

type Load = {
  readonly archives: number;
  /** Of the source, for all archives together; 0 is no limit. */
  readonly sourceMbPerSec: number;
};

export type MemoryCase = ToolFigures & Load & { readonly segmentKb: number };

/** Bundled into dist/ of the repository, where its packages are resolved. */
const ENGINE_FOLDER = fileURLToPath(new URL("../../dist/bench", import.meta.url));
const ENGINE = join(ENGINE_FOLDER, "vodkeep.js");

const OURS = "Vodkeep";

type Tool = {
  readonly name: string;
  readonly command: string;
  readonly args: (playlistUrl: string, folder: string) => readonly string[];
};

const FFMPEG = "ffmpeg -c copy";
/** What Vodkeep does: it copies and hashes. */
const SAME_WORK = "ffmpeg, sha256sum";
/** ffmpeg alone ends while its copy is in the system's file cache. */
const SYNCED = "ffmpeg, sync";

const TOOLS: readonly Tool[] = [
  {
    name: OURS,
    command: process.execPath,
    args: (url, folder) => [...SERVER_FLAGS, ENGINE, folder, url, String(SEGMENTS * 10)],
  },
  {
    name: "yt-dlp -N 8",
    command: "yt-dlp",
    args: (url, folder) => [
      ..."--no-config --no-progress --quiet --no-warnings -N 8 --hls-use-mpegts".split(" "),
      "--no-check-certificates",
      ..."--downloader native --fixup never --no-part -o".split(" "),
      join(folder, "out.ts"),
      url,
    ],
  },
  {
    name: FFMPEG,
    command: "ffmpeg",
    args: (url, folder) => [
      ..."-nostdin -v error -y -i".split(" "),
      url,
      ..."-c copy -f mpegts".split(" "),
      join(folder, "out.ts"),
    ],
  },
];

const MEDIA_FOLDER = join(tmpdir(), "vodkeep-bench-media");

/**
 * Copies the same 2 GB from a loopback origin with each archiver in turn, `rounds` times, and takes
 * the median. What each one stored is compared with the origin's bytes.
 */
export async function benchArchive(
  rounds: number,
  { isEncrypted }: { readonly isEncrypted: boolean },
  report: (line: string) => void,
) {
  await bundleEngine();
  const folder = await makeTemporaryFolder();
  const certificate = join(folder.path, "origin.crt");
  writeFileSync(certificate, TEST_CERTIFICATE.cert);
  // ffmpeg and yt-dlp do not verify it.
  const trust = { NODE_EXTRA_CA_CERTS: certificate };
  const origin = await startChild("bench/archive/origin.ts", {}, [
    MEDIA_FOLDER,
    String(SEGMENTS),
    isEncrypted ? "tls" : "plain",
  ]);
  const base = `${isEncrypted ? "https" : "http"}://localhost:${String(origin.ready.port)}`;
  const totalBytes = Number(origin.ready.totalBytes);
  const runs = new Map<string, Measured[]>();
  const record = (name: string, measured: Measured) => {
    runs.set(name, [...(runs.get(name) ?? []), measured]);
    report(`${name}: ${(totalBytes / 1e6 / measured.wallSec).toFixed(0)} MB/s`);
  };
  try {
    for (let round = 1; round <= rounds; round += 1) {
      report(`Round ${round}`);
      for (const tool of TOOLS) {
        if (!isInstalled(tool.command)) {
          if (round === 1) report(`${tool.name} is not installed here: left out`);
          continue;
        }
        const target = join(folder.path, `${round}-${TOOLS.indexOf(tool)}`);
        execFileSync("mkdir", [target]);
        execFileSync("sync");
        const measured = await measure(
          tool.command,
          tool.args(`${base}/${SEGMENTS}/1/0/index.m3u8`, target),
          { ...trust, ...(tool.name === OURS && SERVER_ALLOCATOR) },
        );
        requireWhole(tool, target, totalBytes, String(origin.ready.sha256));
        record(tool.name, measured);
        if (tool.name === FFMPEG) {
          const copy = join(target, "out.ts");
          record(SYNCED, afterEachOther(measured, await measure("sync", [copy], {})));
          record(SAME_WORK, afterEachOther(measured, await measure("sha256sum", [copy], {})));
        }
        await rm(target, { recursive: true });
      }
    }
  } finally {
    await origin.stop();
    await folder.remove();
  }
  return summarize(runs, totalBytes);
}

/** Segments of 8.4 MB, 900 kB and 300 kB. */
const PIECES = [1, 9, 28];

const LOADS: readonly (Load & { readonly pieces: number })[] = [
  ...[1, 2, 10].flatMap((archives) =>
    PIECES.map((pieces) => ({ archives, pieces, sourceMbPerSec: 0 })),
  ),
  { archives: 5, pieces: 1, sourceMbPerSec: 25 },
  { archives: 32, pieces: 9, sourceMbPerSec: 32 },
];

/** Vodkeep's memory and CPU time while it copies 2 GB as one or several archives at once. */
export async function benchMemory(report: (measured: MemoryCase) => void): Promise<void> {
  await bundleEngine();
  const origin = await startChild("bench/archive/origin.ts", {}, [MEDIA_FOLDER, "0"]);
  try {
    for (const { pieces, ...load } of LOADS) {
      const { archives, sourceMbPerSec } = load;
      const segments = Math.floor(SEGMENTS / archives);
      const base = `http://127.0.0.1:${String(origin.ready.port)}`;
      const url = `${base}/${segments}/${pieces}/${sourceMbPerSec}/index.m3u8`;
      const folder = await makeTemporaryFolder();
      const figures = [segments * 10, archives].map(String);
      const args = [...SERVER_FLAGS, ENGINE, folder.path, url, ...figures];
      const measured = await measure(process.execPath, args, SERVER_ALLOCATOR);
      await folder.remove();
      report({
        ...load,
        segmentKb: Math.round((SEGMENT_MB * 1e3) / pieces),
        ...figuresOf(measured, segments * archives * SEGMENT_MB * 1e6),
      });
    }
  } finally {
    await origin.stop();
  }
}

/** Bundles the engine and the host's threads like `npm start`, so that memory use is the same. */
async function bundleEngine(): Promise<void> {
  await build({
    entryPoints: {
      vodkeep: "bench/archive/vodkeep.ts",
      "digest-thread": "hosts/node/digest-thread.ts",
      "checkpoint-thread": "hosts/node/checkpoint-thread.ts",
    },
    outdir: ENGINE_FOLDER,
    ...NODE_BUNDLE,
  });
}

export function isInstalled(command: string): boolean {
  return spawnSync(command, ["-version"]).error === undefined;
}

/** Only whole copies are compared. 2 % is allowed where the tool's output has other bytes. */
function requireWhole(tool: Tool, folder: string, totalBytes: number, sha256: string): void {
  const storedBytes = Number(
    execFileSync("du", ["-sb", folder], { encoding: "utf8" }).split("\t")[0],
  );
  if (storedBytes < totalBytes * 0.98)
    throw new Error(`${tool.name} stored only ${storedBytes} bytes`);
  // ffmpeg writes the container anew.
  if (tool.name === FFMPEG) return;
  const digests = execFileSync(
    "find",
    [folder, ..."-type f -size +100M -exec sha256sum {} +".split(" ")],
    { encoding: "utf8" },
  );
  if (!digests.includes(sha256)) throw new Error(`${tool.name} stored other bytes: ${digests}`);
}

function afterEachOther(first: Measured, second: Measured): Measured {
  return {
    wallSec: first.wallSec + second.wallSec,
    cpuSec: first.cpuSec + second.cpuSec,
    peakBytes: Math.max(first.peakBytes, second.peakBytes),
  };
}

function figuresOf(measured: Measured, totalBytes: number) {
  return {
    megabytesPerSec: Math.round(totalBytes / 1e6 / measured.wallSec),
    cpuSecPerGb: Number((measured.cpuSec / (totalBytes / 1e9)).toFixed(2)),
    peakMb: Math.round(measured.peakBytes / 1e6),
  };
}

function summarize(runs: ReadonlyMap<string, readonly Measured[]>, totalBytes: number) {
  const tools: Record<string, ToolFigures> = {};
  for (const [name, measured] of runs) {
    tools[name] = figuresOf(
      medianBy(measured, ({ wallSec }) => wallSec),
      totalBytes,
    );
  }
  const rivals = TOOLS.filter(({ name }) => name !== OURS && tools[name] !== undefined);
  const best = rivals.toSorted(
    (left, right) =>
      (tools[right.name]?.megabytesPerSec ?? 0) - (tools[left.name]?.megabytesPerSec ?? 0),
  )[0];
  const ratioTo = (name: string) => {
    const speed = tools[name]?.megabytesPerSec ?? Infinity;
    return Number(((tools[OURS]?.megabytesPerSec ?? 0) / speed).toFixed(2));
  };
  return {
    tools,
    /** Vodkeep's speed divided by that of the fastest rival in the same run. */
    ratioToBest: ratioTo(best?.name ?? "none"),
    bestRival: best?.name ?? "none",
    /** Vodkeep's speed divided by that of the same work done by ffmpeg and sha256sum. */
    ratioToSameWork: ratioTo(SAME_WORK),
    /** Vodkeep's speed divided by ffmpeg's once its copy is on the disk, as Vodkeep's is. */
    ratioToSynced: ratioTo(SYNCED),
  };
}
