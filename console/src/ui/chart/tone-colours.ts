import type { Tone } from "../badge.tsx";

/** What a tone looks like where it is drawn instead of written. */
export const TONE_COLOURS: Readonly<Record<Tone, string>> = {
  neutral: "var(--line-control)",
  accent: "var(--accent)",
  good: "var(--good)",
  warn: "var(--warn)",
  alert: "var(--alert)",
  bad: "var(--bad)",
  info: "var(--info)",
};
