import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";

/** What Twitch answered in earlier runs, in DATA_DIR/doctor.json. */
const fingerprintSchema = z.object({
  at: z.iso.datetime(),
  answers: z.record(z.string(), z.string()),
  /** Everything that was ever seen, because no VOD has all of it. */
  seen: z.array(z.string()),
});
export type Fingerprint = z.infer<typeof fingerprintSchema>;

/** Null before the first run, and for a file that cannot be read. */
export function readFingerprint(dataFolder: string): Fingerprint | null {
  try {
    const text = readFileSync(pathIn(dataFolder), "utf8");
    return fingerprintSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

export function saveFingerprint(
  dataFolder: string,
  earlier: Fingerprint | null,
  now: Fingerprint,
): void {
  const kept: Fingerprint = {
    at: now.at,
    answers: { ...earlier?.answers, ...now.answers },
    seen: [...new Set([...(earlier?.seen ?? []), ...now.seen])].toSorted(),
  };
  if (!existsSync(dataFolder)) mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const path = pathIn(dataFolder);
  writeFileSync(`${path}.new`, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** One sentence for each change. */
export function describeDifferences(
  earlier: Fingerprint | null,
  now: Pick<Fingerprint, "answers" | "seen">,
): readonly string[] {
  if (earlier === null) return [];
  const since = `Since ${earlier.at.slice(0, 10)}, Twitch`;
  const changed = Object.entries(now.answers).flatMap(([question, answer]) => {
    const before = earlier.answers[question];
    return before === undefined || before === answer
      ? []
      : [`${since} answers ${question} with “${answer}” instead of “${before}”.`];
  });
  const fresh = now.seen.filter((thing) => !earlier.seen.includes(thing));
  return [...changed, ...fresh.map((thing) => `${since} sends something new: ${thing}.`)];
}

function pathIn(dataFolder: string): string {
  return join(dataFolder, "doctor.json");
}
