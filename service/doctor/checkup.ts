import { SourceError } from "#service/source/source-error.ts";
import { oneLine } from "./sightings.ts";

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

/** Collects findings in the order of the checks. */
export function startCheckup() {
  const findings: Finding[] = [];
  return {
    findings,
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
  };
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.name === "TimeoutError" ? "There was no time left for this check." : error.message;
}
