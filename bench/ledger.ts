import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import * as z from "zod/mini";

const LEDGER = fileURLToPath(new URL("ledger.json", import.meta.url));

const ledgerSchema = z.record(z.string(), z.unknown());

/** What the committed ledger says of one bench; undefined when it has never been written. */
export function readLedgerEntry(bench: string): unknown {
  return readLedger()[bench];
}

/** Puts a bench's figures into the ledger, so that a change of speed shows in the change's diff. */
export function writeLedgerEntry(bench: string, figures: Readonly<Record<string, unknown>>): void {
  const entry = { ...conditions(), ...figures };
  const ledger = { ...readLedger(), [bench]: entry };
  writeFileSync(LEDGER, `${JSON.stringify(ledger, toHundredths, 2)}\n`);
}

/** No figure is known to more, and a reader compares them. */
function toHundredths(_name: string, value: unknown): unknown {
  return typeof value === "number" ? Math.round(value * 100) / 100 : value;
}

/** When and where something is measured. */
export function conditions() {
  const [cpu] = cpus();
  const [load = 0] = loadavg();
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} x ${cpu?.model ?? "unknown"}`,
    // Above the number of processors others were at work, too, and times say little.
    loadAverage: Math.round(load * 10) / 10,
  };
}

function readLedger(): Record<string, unknown> {
  return ledgerSchema.parse(JSON.parse(readFileSync(LEDGER, "utf8")));
}
