import process from "node:process";
import { Argument, InvalidArgumentError, Option, type Command } from "commander";
import { parseTime } from "#contract/clock-time.ts";
import { QUALITIES } from "#contract/quality.ts";
import { UPLOAD_STATUSES } from "#contract/upload.ts";

/** Adds the commands that talk to a running service. Each loads its work when it runs. */
export function addClientCommands(program: Command): void {
  function command(usage: string, about: string, examples: readonly string[]): Command {
    return withHelp(program.command(usage), about, examples);
  }

  command("login", "Store the address of a service and an API token for it", [
    "vodkeep login --url https://vodkeep.example",
    "vodkeep login --url http://nas:8787 < token.txt",
  ])
    .option(
      "--url <url>",
      "address of the service (default: VODKEEP_URL, or http://localhost:8787)",
    )
    .action(async (options) => (await import("./connection.ts")).login(options));

  command("archive", "Archive VODs, or videos at other addresses; safe to repeat", [
    "vodkeep archive https://www.twitch.tv/videos/1234567890 --wait",
    'vodkeep archive 1234567890 1234567891 --quality 720p --rights-confirmed "my own channel"',
    "vodkeep archive 1234567890 --from 1:03:00 --to 1:33:00 --wait",
  ])
    .argument("<address...>", "VOD ids, Twitch addresses, or addresses on hosts in SOURCE_HOSTS")
    .option("--wait", "wait until all are stored; fails if one does not get so far")
    .option("--again", "archive what is archived already another time")
    .option("--from <time>", "only a part of the VOD, from 1:03:00, 63:00 or 3780 on", time)
    .option("--to <time>", "where the part ends; of a running broadcast also later than now", time)
    .addOption(new Option("--quality <quality>", "the best picture if absent").choices(QUALITIES))
    .option(
      "--rights-confirmed [reason]",
      "I hold the rights; with a reason, remembered for the channel",
    )
    .action(async (addresses, options) =>
      (await import("./archive.ts")).archive(addresses, options),
    );

  command("ls", "List uploads, newest first", [
    "vodkeep ls --status failed",
    "vodkeep ls --channel somebody --limit 500 --json | jq -r '.[].id'",
  ])
    .addOption(new Option("--status <status>").choices(UPLOAD_STATUSES))
    .option("--channel <name>", "login or id of the channel")
    .option("--limit <count>", "at most so many", wholeNumber, 20)
    .action(async (options) => (await import("./uploads.ts")).listThem(options));

  command("status", "Show one upload, or what the service is doing", [
    "vodkeep status",
    "vodkeep status 4f1c0e9a7b2d",
  ])
    .argument("[id]", "id of an upload")
    .action(async (id, options) => (await import("./uploads.ts")).showStatus(id, options));

  command("watch", "Follow uploads live; ends when all given ones have ended", [
    "vodkeep watch",
    "vodkeep watch 4f1c0e9a7b2d --json",
  ])
    .argument("[id...]", "ids of uploads; all that run if absent")
    .action(async (ids, options) => (await import("./uploads.ts")).watch(ids, options));

  for (const kind of ["retry", "cancel"] as const)
    command(
      kind,
      kind === "retry" ? "Queue failed uploads again" : "Cancel uploads and discard their parts",
      [
        `vodkeep ${kind} 4f1c0e9a7b2d`,
        `vodkeep ls --status ${kind === "retry" ? "failed" : "pending"} --json | jq -r '.[].id' | xargs vodkeep ${kind}`,
      ],
    )
      .argument("<id...>", "ids of uploads")
      .action(async (ids, options) => (await import("./uploads.ts")).change(kind, ids, options));

  command("download", "Download stored files and verify them; goes on where it stopped", [
    "vodkeep download 4f1c0e9a7b2d 8c2d17f05e66 --mp4",
    "vodkeep download 4f1c0e9a7b2d --mp4 --from 1:03:00 --to 1:33:00",
    "vodkeep download 4f1c0e9a7b2d --output /media/vods/",
  ])
    .argument("<file...>", "ids of uploads, or keys of files")
    .option("--mp4", "make one MP4 file of each, without encoding")
    .option(
      "--from <time>",
      "with --mp4: from the key frame before 1:03:00, 63:00 or 3780 on",
      time,
    )
    .option("--to <time>", "with --mp4: up to this time of the video", time)
    .option("--output <path>", "a file, or an existing folder (default: this folder)")
    .action(async (files, options) => (await import("./download.ts")).download(files, options));

  command("mirror", "Copy all stored files that a folder lacks, and verify them", [
    "vodkeep mirror /media/vods",
    "vodkeep mirror /media/vods --channel somebody",
    "vodkeep mirror /media/vods --layout media    # for Jellyfin, Plex, Kodi",
  ])
    .argument("<folder>", "made if it does not exist; nothing in it is replaced or deleted")
    .option("--channel <name>", "only files of this channel, by login or id")
    .addOption(
      new Option(
        "--layout <name>",
        "names of files; media: as media servers read them, with chat, picture and chapters beside",
      ).choices(["plain", "media"]),
    )
    .action(async (folder, options) => (await import("./mirror.ts")).mirror(folder, options));

  command("verify", "Compare local files with what the service stores, byte by byte", [
    "vodkeep verify /media/vods",
    "vodkeep verify vod.ts",
  ])
    .argument("<path>", "a file or folder")
    .action(async (path, options) => (await import("./verify.ts")).verify(path, options));

  const channels = program
    .command("channels")
    .description("Channels whose VODs are archived by rules");
  withHelp(channels.command("ls", { isDefault: true }), "List them", ["vodkeep channels"]).action(
    async (options) => (await import("./channels.ts")).showChannels(options),
  );
  withHelp(channels.command("add"), "Follow channels and archive their VODs; safe to repeat", [
    "vodkeep channels add somebody",
    'vodkeep channels add somebody another --rights-confirmed "our own channels" --back-days all --wait',
  ])
    .argument("<name...>", "logins, or addresses on Twitch")
    .option("--rights-confirmed <reason>", "I hold the rights, though the owner has not agreed")
    .option("--back-days <count>", "VODs of so many days before now too, or all", (text) =>
      text === "all" ? text : wholeNumber(text),
    )
    .option("--wait", "wait until the VODs that the rule takes are stored")
    .action(async (names, options) => (await import("./channels.ts")).add(names, options));

  program
    .command("completion")
    .description("Print a shell's completion script")
    .addArgument(new Argument("<shell>").choices(["bash", "zsh", "fish"]))
    .addHelpText(
      "after",
      examplesOf([
        "source <(vodkeep completion bash)    # in ~/.bashrc",
        "source <(vodkeep completion zsh)     # in ~/.zshrc",
        "vodkeep completion fish > ~/.config/fish/completions/vodkeep.fish",
      ]),
    )
    .action(async (shell) => {
      const { completionScript } = await import("./completion.ts");
      process.stdout.write(`${completionScript(shell, program)}\n`);
    });
}

function withHelp(command: Command, about: string, examples: readonly string[]): Command {
  return command
    .description(about)
    .option("--json", "print JSON")
    .addHelpText("after", examplesOf(examples));
}

function examplesOf(examples: readonly string[]): string {
  return `\nExamples:\n${examples.map((each) => `  $ ${each}`).join("\n")}`;
}

function time(text: string): number {
  const sec = parseTime(text);
  if (sec === undefined)
    throw new InvalidArgumentError("must be a time as 1:03:00, 63:00 or 3780.");
  return sec;
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text))
    throw new InvalidArgumentError("must be a whole number from 1.");
  return Number(text);
}
