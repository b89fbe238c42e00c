import process from "node:process";
import { parseArgs } from "node:util";
import * as z from "zod/mini";
import { readLedgerEntry, writeLedgerEntry } from "../ledger.ts";
import {
  benchArchive,
  benchMemory,
  isInstalled,
  type MemoryCase,
  type ToolFigures,
} from "./archive.ts";

/** The design target; the ledger contains the actual figures. */
const TARGET_RATIO = 1;

/** Runs on a busy machine differ by this much; a larger drop is a regression. */
const TOLERANCE = 0.2;

const ledgerSchema = z.optional(z.looseObject({ ratioToBest: z.number() }));

/**
 * Prints the figures of one run and compares the ratio with the committed one. `--tls` copies over
 * TLS, `--memory` measures only Vodkeep, with several archives and segment sizes. `--write` records
 * the figures in the ledger, so that a change of speed appears in the diff.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      write: { type: "boolean", default: false },
      tls: { type: "boolean", default: false },
      memory: { type: "boolean", default: false },
      rounds: { type: "string", default: "5" },
    },
  });
  if (!isInstalled("ffmpeg")) {
    console.error("ffmpeg makes this bench's media and is not here: apt-get install ffmpeg");
    process.exitCode = 1;
    return;
  }
  if (values.memory) await reportMemory(values.write);
  else
    await reportSpeed(values.tls ? "archive-tls" : "archive", Number(values.rounds), values.write);
}

async function reportSpeed(entry: string, rounds: number, isWritten: boolean): Promise<void> {
  const isEncrypted = entry === "archive-tls";
  const figures = await benchArchive(rounds, { isEncrypted }, (line) => console.log(line));
  console.log(`\n${HEADING}`);
  for (const [name, tool] of Object.entries(figures.tools)) console.log(rowOf(name, tool));
  console.log(
    `\nVodkeep is ${figures.ratioToBest} times as fast as ${figures.bestRival} (aim: ${TARGET_RATIO}), ` +
      `${figures.ratioToSynced} times as fast as ffmpeg and sync, ` +
      `and ${figures.ratioToSameWork} times as fast as ffmpeg and sha256sum.`,
  );
  const committed = ledgerSchema.parse(readLedgerEntry(entry))?.ratioToBest;
  if (isWritten) {
    writeLedgerEntry(entry, figures);
  } else if (committed !== undefined && figures.ratioToBest < committed * (1 - TOLERANCE)) {
    console.log(`The ledger says ${committed}: this is slower.`);
    process.exitCode = 1;
  }
}

async function reportMemory(isWritten: boolean): Promise<void> {
  const cases: MemoryCase[] = [];
  console.log(HEADING);
  await benchMemory((measured) => {
    cases.push(measured);
    const { archives, segmentKb, sourceMbPerSec } = measured;
    const limit = sourceMbPerSec > 0 ? ` at ${sourceMbPerSec} MB/s` : "";
    console.log(rowOf(`${archives} x ${segmentKb} kB${limit}`, measured));
  });
  if (isWritten) writeLedgerEntry("archive-memory", { cases });
}

const HEADING = "                          MB/s   CPU s/GB   % of a core   peak MB";

function rowOf(name: string, { megabytesPerSec, cpuSecPerGb, peakMb }: ToolFigures): string {
  const corePercent = ((megabytesPerSec * cpuSecPerGb) / 10).toFixed(1);
  return [
    name.padEnd(24),
    String(megabytesPerSec).padStart(6),
    String(cpuSecPerGb).padStart(10),
    corePercent.padStart(13),
    String(peakMb).padStart(9),
  ].join(" ");
}
