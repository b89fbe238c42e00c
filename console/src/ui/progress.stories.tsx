import { Meter, Progress } from "./progress.tsx";

const TONES = ["neutral", "accent", "good", "warn", "alert", "bad", "info"] as const;

export function Tones() {
  return TONES.map((tone, index) => (
    <Progress key={tone} label={`Progress, ${tone}`} percent={20 + index * 12} tone={tone} />
  ));
}

export function Unknown() {
  return <Progress label="Unknown progress" percent={null} />;
}

export function Budget() {
  return <Meter label="Budget" percent={82} text="82% of the budget" tone="warn" />;
}
