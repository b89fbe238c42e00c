import { SourceError } from "#service/source/source-error.ts";
import { maskSecrets } from "#service/secrets/mask-secrets.ts";

export type Finding = {
  readonly topic: string;
  /** `problem`: no archive can be whole until it is solved. `advice`: archives are not affected. */
  readonly result: "ok" | "advice" | "problem";
  /** What was found or, unless it is ok, what to do. */
  readonly text: string;
  /** True if it concerns the sample VOD only, e.g. one for subscribers. */
  readonly isOfSample: boolean;
};

export type Say = (result: Finding["result"], text: string, about?: "sample") => void;

export type Checkup = ReturnType<typeof startCheckup>;

/** Collects findings in the order of the checks, and what Twitch answered. */
export function startCheckup() {
  const findings: Finding[] = [];
  const answers: Record<string, string> = {};
  const seen = new Set<string>();
  return {
    findings,
    /** Answers of Twitch by question. */
    answers,
    /** Things that Twitch sent, e.g. a tag of a playlist; each VOD has only some of them. */
    seen,
    /** Runs a check, which is ok unless it says otherwise. An error is a problem, and null. */
    async check<Value>(topic: string, run: (say: Say) => Promise<Value>): Promise<Value | null> {
      let said: { result: Finding["result"]; text: string } = { result: "ok", text: "" };
      let isOfSample = false;
      let value: Value | null = null;
      try {
        value = await run((result, text, about) => {
          said = { result, text };
          isOfSample = about === "sample";
        });
      } catch (error) {
        isOfSample = error instanceof SourceError && error.failureClass !== "try_later";
        said = { result: "problem", text: describeError(error) };
      }
      findings.push({ topic, result: said.result, text: oneLine(said.text), isOfSample });
      return value;
    },
    /** Both are kept beyond this run, and without secrets. */
    answered(question: string, answer: string): void {
      answers[question] = oneLine(answer);
    },
    saw(thing: string): void {
      seen.add(oneLine(thing));
    },
  };
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.name === "TimeoutError" ? "There was no time left for this check." : error.message;
}

function oneLine(text: string): string {
  return maskSecrets(text)
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
}
