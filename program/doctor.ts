import { resolve } from "node:path";
import process from "node:process";
import { createOutgoingFetch } from "#hosts/node/outgoing-fetch.ts";
import { readStoredCredentials } from "#hosts/node/setup-files.ts";
import { twitchVodIdSchema } from "#contract/ids.ts";
import { readSettings } from "#service/settings.ts";
import { CommandError, EXIT_CODES } from "./exit-codes.ts";
import { examineMachine } from "./doctor/examine.ts";

/**
 * Checks the settings, this machine, and what Twitch answers, and says what to do. It changes
 * nothing, may be run beside the service, and takes less than a minute. It fails unless a VOD could
 * be archived whole, with its chat.
 */
export async function examine(vod: string | undefined, json: boolean): Promise<void> {
  const vodId =
    vod === undefined
      ? null
      : (twitchVodIdSchema.safeParse(vod).data ?? refuse("--vod must be the number of a VOD."));
  const outgoing = createOutgoingFetch();
  const given = readSettings(process.env);
  const stored =
    given.TWITCH_CLIENT_ID === undefined
      ? await readStoredCredentials({ path: resolve(given.DATA_DIR) }, given, { renews: false })
      : null;
  const report = await examineMachine({ ...given, ...stored }, outgoing.fetch, vodId);
  await outgoing.close();
  if (json) console.log(JSON.stringify(report, null, 2));
  else {
    for (const difference of report.differences) console.log(difference);
    for (const { topic, result, text } of report.findings)
      console.log(`${result.padEnd(8)} ${topic}${text === "" ? "" : `: ${text}`}`);
    console.log(
      report.canArchive
        ? "A VOD could be archived whole, with its chat."
        : "Solve the problems above: until then, archives may fail.",
    );
  }
  if (!report.canArchive) process.exitCode = EXIT_CODES.failed;
}

function refuse(said: string): never {
  throw new CommandError(EXIT_CODES.usage, said);
}
