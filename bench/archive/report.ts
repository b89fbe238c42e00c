import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as z from "zod/mini";
import { benchArchive } from "./archive.ts";
import { isInstalled } from "./installed.ts";

const LEDGER = fileURLToPath(new URL("../ledger.json", import.meta.url));

/** The design target; the ledger contains the actual figures. */
const TARGET_RATIO = 1.5;
const TARGET_PEAK_MB = 200;

/** Runs on a busy machine differ by this much; a larger drop is a regression. */
const TOLERANCE = 0.2;

const ledgerSchema = z.looseObject({
  archive: z.optional(z.looseObject({ ratioToBest: z.number() })),
});

/**
 * Prints the figures of one run and compares the ratio with the committed one. `--write` records
 * them in the ledger, so that a change of speed appears in the diff.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      write: { type: "boolean", default: false },
      rounds: { type: "string", default: "3" },
    },
  });
  if (!isInstalled("ffmpeg")) {
    console.error("ffmpeg makes this bench's media and is not here: apt-get install ffmpeg");
    process.exitCode = 1;
    return;
  }
  const figures = await benchArchive(Number(values.rounds), (line) => console.log(line));
  console.log("\n                      MB/s   CPU s/GB   peak MB");
  for (const [name, tool] of Object.entries(figures.tools))
    console.log(
      `${name.padEnd(20)} ${String(tool.megabytesPerSec).padStart(5)} ${String(tool.cpuSecPerGb).padStart(10)} ${String(tool.peakMb).padStart(9)}`,
    );
  const own = figures.tools["Vodkeep"];
  console.log(
    `\nVodkeep is ${figures.ratioToBest} times as fast as ${figures.bestRival} (aim: ${TARGET_RATIO}), ` +
      `with ${own?.peakMb ?? 0} MB at most (aim: under ${TARGET_PEAK_MB}).`,
  );
  const ledger = ledgerSchema.parse(JSON.parse(readLedger()));
  const committed = ledger.archive?.ratioToBest;
  if (values.write) {
    const machine = `${cpus().length} x ${cpus()[0]?.model ?? "unknown"}`;
    writeFileSync(
      LEDGER,
      `${JSON.stringify({ ...ledger, archive: { machine, ...figures } }, null, 2)}\n`,
    );
  } else if (committed !== undefined && figures.ratioToBest < committed * (1 - TOLERANCE)) {
    console.log(`The ledger says ${committed}: this is slower.`);
    process.exitCode = 1;
  }
}

function readLedger(): string {
  try {
    return readFileSync(LEDGER, "utf8");
  } catch {
    return "{}";
  }
}
