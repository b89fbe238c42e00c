import { extname } from "node:path";

/** The file of a thread: it stands beside this one, in the sources as in the build. */
export function threadProgram(name: "checkpoint-thread" | "byte-thread"): URL {
  return new URL(`./${name}${extname(import.meta.url)}`, import.meta.url);
}
