import { extname } from "node:path";

/** The path of a worker thread's program: beside this file in the sources and in the build. */
export function threadProgram(
  name: "checkpoint-thread" | "digest-thread" | "inspect-thread" | "snapshot-thread",
): URL {
  return new URL(`./${name}${extname(import.meta.url)}`, import.meta.url);
}
