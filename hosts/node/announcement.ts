import process from "node:process";
import type { Logger } from "#service/logger.ts";
import { schemeOf, type Settings } from "#service/settings.ts";

// What a start tells.

/** Readable text on a terminal; otherwise one line of JSON, from which tests read the port. */
export function announce(
  port: number,
  settings: Settings,
  dataDir: string,
  { usesStandIn, hasConsole }: { readonly usesStandIn: boolean; readonly hasConsole: boolean },
): void {
  if (!process.stdout.isTTY) {
    console.log(JSON.stringify({ ready: true, port, pid: process.pid, standIn: usesStandIn }));
    return;
  }
  const { HOST: host } = settings;
  const isUsual = host === "127.0.0.1" || host === "0.0.0.0";
  const address = isUsual ? "localhost" : host.includes(":") ? `[${host}]` : host;
  console.log(
    `\n  Vodkeep is ready: ${schemeOf(settings)}://${address}:${port}\n  Its data is in ${dataDir}\n`,
  );
  if (usesStandIn)
    console.log(
      "  Twitch is a stand-in, with made-up channels and VODs. Sign in as Avery Admin and archive\n" +
        "  VOD 2000000001, two hours long; or set TWITCH_CLIENT_ID and TWITCH_CLIENT_SECRET to use\n" +
        "  the real one.\n",
    );
  if (!hasConsole) console.log("  The console has not been built: npm run build.\n");
}

/** On a terminal with the code; otherwise the output is a log, which must not have it. */
export function setupNote({ CONSOLE_URL }: Settings, code: string, codePath: string): string {
  const page = `${CONSOLE_URL[0]}/setup`;
  return process.stdout.isTTY
    ? `Set up Twitch and the first administrator: ${page}#${code}`
    : `Set up Twitch and the first administrator: ${page} with the code in ${codePath}`;
}

export function announceNotes(log: Logger, notes: readonly string[]): void {
  for (const note of notes)
    if (process.stdout.isTTY) console.log(`  ${note}\n`);
    else log.info(note);
}
