import type { Tone } from "../badge.tsx";

/** Colour of each tone in drawings. */
export const TONE_COLOURS: Readonly<Record<Tone, string>> = {
  neutral: "var(--line-control)",
  accent: "var(--accent)",
  good: "var(--good)",
  warn: "var(--warn)",
  alert: "var(--alert)",
  bad: "var(--bad)",
  info: "var(--info)",
};
