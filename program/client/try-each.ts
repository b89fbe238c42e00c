import { endOf } from "#program/command-end.ts";
import { CommandError, EXIT_CODES } from "#program/exit-codes.ts";

/** Without room for one file there is none for the next. */
export class FullDisk extends CommandError {
  override readonly name = "CommandError";
}

/**
 * Does one thing after another. A failure does not keep the others from being done, except a full
 * disk and a service that is away or refuses. It has the code of the first and all sentences.
 */
export async function tryEach<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
  nameOf: (item: Item) => string = () => "",
): Promise<{ done: Result[]; failure: CommandError | null }> {
  const done: Result[] = [];
  const failures: CommandError[] = [];
  for (const item of items)
    try {
      done.push(await run(item));
    } catch (error) {
      // A fault of the program.
      const { said, exitCode } = endOf(error);
      if (typeof said !== "string") throw error;
      const name = nameOf(item);
      failures.push(new CommandError(exitCode, name === "" ? said : `${name}: ${said}`));
      if (exitCode === EXIT_CODES.unreachable || exitCode === EXIT_CODES.refused) break;
      if (error instanceof FullDisk) break;
    }
  const [first] = failures;
  if (first === undefined) return { done, failure: null };
  const sentences = failures.map(({ message }) => message).join("\n");
  return { done, failure: new CommandError(first.exitCode, sentences) };
}
