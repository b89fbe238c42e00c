import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import * as z from "zod/mini";

const LEDGER = fileURLToPath(new URL("ledger.json", import.meta.url));

const ledgerSchema = z.record(z.string(), z.unknown());

/** The committed figures of a bench; undefined when it has none. */
export function readLedgerEntry(bench: string): unknown {
  return readLedger()[bench];
}

/** Records a bench's figures in the ledger, so that a change of speed appears in the diff. */
export function writeLedgerEntry(bench: string, figures: Readonly<Record<string, unknown>>): void {
  const entry = { ...conditions(), ...figures };
  const ledger = { ...readLedger(), [bench]: entry };
  writeFileSync(LEDGER, `${joinFigures(JSON.stringify(ledger, toHundredths, 2))}\n`);
}

/** Writes the figures of one thing on one line where they fit, as the formatter keeps them. */
function joinFigures(json: string): string {
  return json.replaceAll(/^.*\{[^{}[\]]+\},?$/gm, (lines) => {
    const line = lines.replaceAll(/\n\s*/g, " ");
    return line.length <= 100 ? line : lines;
  });
}

/** No measurement is more precise, and people compare the figures. */
function toHundredths(_name: string, value: unknown): unknown {
  return typeof value === "number" ? Math.round(value * 100) / 100 : value;
}

/** The date and machine of a measurement. */
export function conditions() {
  const [cpu] = cpus();
  const [load = 0] = loadavg();
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} x ${cpu?.model ?? "unknown"}`,
    // A load above the number of CPUs means that other processes distort the times.
    loadAverage: Math.round(load * 10) / 10,
  };
}

function readLedger(): Record<string, unknown> {
  return ledgerSchema.parse(JSON.parse(readFileSync(LEDGER, "utf8")));
}
