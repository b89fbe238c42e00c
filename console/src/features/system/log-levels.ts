import type { LogLevel } from "#contract/values.ts";
import type { Tone } from "#console/ui/badge.tsx";

export const LOG_LEVEL_LABELS: Readonly<Record<LogLevel, string>> = {
  error: "Error",
  warn: "Warning",
  info: "Info",
  debug: "Debug",
};

export const LOG_LEVEL_TONES: Readonly<Record<LogLevel, Tone>> = {
  error: "bad",
  warn: "warn",
  info: "info",
  debug: "neutral",
};
