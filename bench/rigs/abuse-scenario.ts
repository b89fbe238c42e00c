/** One way of abusing a running service. Scenarios of the same run share nothing. */
export type AbuseScenario = (options: AbuseOptions) => Promise<AbuseResult>;

export type AbuseOptions = {
  /** How much of it: a scenario says itself what it counts as one request. */
  readonly requests: number;
  readonly report: (line: string) => void;
};

export type AbuseResult = {
  /** What was measured, in one line. */
  readonly summary: string;
  /** Sentences; empty when the service held. */
  readonly faults: readonly string[];
};
