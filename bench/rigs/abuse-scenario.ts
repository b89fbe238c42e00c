/** A way to abuse a running service. Scenarios of one run share nothing. */
export type AbuseScenario = (options: AbuseOptions) => Promise<AbuseResult>;

export type AbuseOptions = {
  /** The amount of abuse; each scenario defines what counts as one request. */
  readonly requests: number;
  readonly report: (line: string) => void;
};

export type AbuseResult = {
  /** The measurements, in one line. */
  readonly summary: string;
  /** Sentences; empty when the service withstood the abuse. */
  readonly faults: readonly string[];
};
