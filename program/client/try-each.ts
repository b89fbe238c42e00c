import { endOf } from "#program/command-end.ts";
import { CommandError, EXIT_CODES } from "#program/exit-codes.ts";

/** Without room for one file there is none for the next. */
export class FullDisk extends CommandError {
  override readonly name = "CommandError";
}

const SHARED_AT_ONCE = 4;

/**
 * Does one thing after another; before, several at a time of those that `mayShare`. A failure does not
 * keep the others from being done, except a full disk and a service that is away or refuses. It has
 * the code of the first and all sentences.
 */
export async function tryEach<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
  nameOf: (item: Item) => string = () => "",
  mayShare: (item: Item) => boolean = () => false,
): Promise<{ done: Result[]; failure: CommandError | null }> {
  const done: Result[] = [];
  const failures: CommandError[] = [];
  let isOver = false;

  async function work(queue: Iterable<Item>): Promise<void> {
    for (const item of queue) {
      if (isOver) return;
      try {
        done.push(await run(item));
      } catch (error) {
        // A fault of the program.
        const { said, exitCode } = endOf(error);
        if (typeof said !== "string") throw error;
        const name = nameOf(item);
        failures.push(new CommandError(exitCode, name === "" ? said : `${name}: ${said}`));
        isOver ||= exitCode === EXIT_CODES.unreachable || exitCode === EXIT_CODES.refused;
        isOver ||= error instanceof FullDisk;
      }
    }
  }

  const shared = items.filter(mayShare).values();
  await Promise.all(Array.from({ length: SHARED_AT_ONCE }, () => work(shared)));
  await work(items.filter((item) => !mayShare(item)));
  const [first] = failures;
  if (first === undefined) return { done, failure: null };
  const sentences = failures.map(({ message }) => message).join("\n");
  return { done, failure: new CommandError(first.exitCode, sentences) };
}
