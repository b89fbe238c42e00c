import process from "node:process";
import { Command, CommanderError } from "commander";
import { replaceHidden } from "#service/hidden-characters.ts";
import { BUILD } from "#service/version.ts";
import { addClientCommands } from "./client/commands.ts";
import { endOf } from "./command-end.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { addOperationCommands } from "./operation-commands.ts";

// A reader that closes the pipe early, such as `head`, has what it wanted.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(EXIT_CODES.done);
  throw error;
});
// Nobody reads the progress: the work and its exit code are the same.
process.stderr.on("error", () => undefined);

const program = new Command("vodkeep")
  .description("Archives Twitch VODs into object storage, and proves every byte.")
  .version(`Vodkeep ${BUILD}`)
  .exitOverride();
const plain = (line: string) => replaceHidden(line, "");
addOperationCommands(program);
addClientCommands(program);

try {
  const args = process.argv.slice(2);
  if (Object.keys(process.env).some((name) => /^https?_proxy$/i.test(name)))
    (await import("#hosts/node/proxy.ts")).useProxyForFetch();
  await program.parseAsync(args.length === 0 ? ["start"] : args, { from: "user" });
} catch (error) {
  if (error instanceof CommanderError)
    process.exitCode = error.exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.usage;
  else {
    const { said, exitCode } = endOf(error);
    console.error(typeof said === "string" ? said.split("\n").map(plain).join("\n") : said);
    // What the command had open when it failed must not keep the process.
    process.exit(exitCode);
  }
}
