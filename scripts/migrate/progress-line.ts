import type { MoveProgress } from "./move.ts";

/** Often enough to show progress, in a log file too. */
const EVERY_MS = { terminal: 200, file: 5_000 };

/** Overwrites one line on a terminal; elsewhere prints a line now and then. */
export function createProgressLine(stream: NodeJS.WriteStream): MoveProgress & { end(): void } {
  const everyMs = stream.isTTY ? EVERY_MS.terminal : EVERY_MS.file;
  let shownMs = -Infinity;

  function show(text: string): void {
    const nowMs = performance.now();
    if (nowMs - shownMs < everyMs) return;
    shownMs = nowMs;
    stream.write(stream.isTTY ? `\r\u{1b}[K${text}` : `${text}\n`);
  }

  return {
    objects(done, of) {
      const share = of.bytes === 0 ? 100 : (100 * done.bytes) / of.bytes;
      show(
        `Objects: ${done.objects} of ${of.objects}, ${toGb(done.bytes)} of ${toGb(of.bytes)} GB ` +
          `(${share.toFixed(1)} %)`,
      );
    },
    rows: (table, done) => show(`Rows of ${table}: ${done}`),
    end: () => void (stream.isTTY && stream.write("\r\u{1b}[K")),
  };
}

export function toGb(bytes: number): string {
  return (bytes / 1e9).toFixed(2);
}
