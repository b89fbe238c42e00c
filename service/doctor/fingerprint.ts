import * as z from "zod/mini";

/** What Twitch answered in earlier runs. */
export const fingerprintSchema = z.object({
  at: z.iso.datetime(),
  answers: z.record(z.string(), z.string()),
  /** Everything that was ever seen, because no VOD has all of it. */
  seen: z.array(z.string()),
});
export type Fingerprint = z.infer<typeof fingerprintSchema>;

/** Real runs find about a hundred things; the limit protects the database against invented ones. */
const MAX_SEEN = 1_000;

/** What to keep for the next run. */
export function mergeFingerprints(earlier: Fingerprint | null, now: Fingerprint): Fingerprint {
  return {
    at: now.at,
    answers: { ...earlier?.answers, ...now.answers },
    seen: [...new Set([...(earlier?.seen ?? []), ...now.seen])].slice(0, MAX_SEEN).toSorted(),
  };
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
