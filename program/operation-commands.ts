import type { Command } from "commander";

/** The commands for the machine that the service runs on. Each imports its work when it runs. */
export function addOperationCommands(program: Command): void {
  program
    .command("start")
    .description("Run the service, also without a command. Settings are environment variables")
    // Read by the service itself, which also runs without this program.
    .option("--trial", "in DATA_DIR/trial, with stand-ins for Twitch, Telegram and mail")
    .action(async () => {
      await import("#hosts/node/main.ts");
    });
  program.command("version", { hidden: true }).action(() => console.log(program.version()));
  program
    .command("backup")
    .description(
      "Copy DATA_DIR while the service runs; again into the same folder copies what is new",
    )
    .requiredOption("--to <folder>", "the folder of the backup")
    .action(async ({ to }: { to: string }) => {
      await (await import("./backup.ts")).backUp(to);
    });
  program
    .command("restore")
    .description("Say what a backup of the database would bring back, and with --yes restore it")
    .option("--from <backup>", "latest, the time of a backup in the store, or a file", "latest")
    .option("--yes", "put it in the place of the present database, which is kept", false)
    .option("--new-key", "go on without the secret key that it was sealed with", false)
    .action(async ({ from, yes, newKey }: { from: string; yes: boolean; newKey: boolean }) => {
      await (await import("./restore.ts")).restore(from, { isAgreed: yes, replacesKey: newKey });
    });
  program
    .command("recover")
    .description(
      "After the loss of a machine: restore the newest backup and all that was archived since",
    )
    .argument("[store]", "as OBJECT_STORE; without it that of the settings, or DATA_DIR/objects")
    .option("--new-key", "go on without the secret key that the backup was sealed with", false)
    .action(async (store: string | undefined, { newKey }: { newKey: boolean }) => {
      await (await import("./recover.ts")).recover(store, newKey);
    });
  program
    .command("rebuild-index")
    .description(
      "Restore a lost database from the manifests in the object store. Stop the service first",
    )
    .option("--takeover", "take the store over from a deployment whose database is lost", false)
    .action(async ({ takeover }: { takeover: boolean }) => {
      await (await import("./rebuild-index.ts")).rebuildFromStore(takeover);
    });
  program
    .command("takeover")
    .description("Make the deployment in DATA_DIR the owner of its store. Stop the other one first")
    .action(async () => {
      await (await import("./takeover.ts")).takeOver();
    });
  program
    .command("new-key")
    .description(
      "Go on with another secret key when the former one is lost. Stop the service first",
    )
    .action(async () => {
      await (await import("./new-key.ts")).acceptNewKey();
    });
  program
    .command("verify-audit")
    .description("Verify an exported audit log without the service")
    .argument("<file>", "the export, a .jsonl file")
    .option(
      "--head <number and seal>",
      "a seal that was published earlier, which the file must contain",
    )
    .action(async (file: string, { head }: { head?: string }) => {
      await (await import("./verify-audit.ts")).verifyAudit(file, head);
    });
  program
    .command("doctor")
    .description("Check the settings, this machine and what Twitch answers; changes nothing")
    .option("--vod <number>", "a VOD to check with")
    .option("--json", "print the report as JSON", false)
    .action(async ({ vod, json }: { vod?: string; json: boolean }) => {
      await (await import("./doctor.ts")).examine(vod, json);
    });
  program
    .command("migrate")
    .description("Two steps of the move to Cloudflare (docs/deploy.md). Stop the service first")
    .option("--rows <file>", "write the database of DATA_DIR as SQL for wrangler")
    .option("--compare", "compare database and objects with those at Cloudflare", false)
    .action(async ({ rows, compare }: { rows?: string; compare: boolean }) => {
      await (await import("./migrate.ts")).migrateToCloudflare(rows, compare);
    });
}
