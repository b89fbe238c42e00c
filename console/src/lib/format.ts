import { formatBytes } from "#contract/format-bytes.ts";

export function formatSpeed(bytesPerSecond: number): string {
  return `${formatBytes(bytesPerSecond)}/s`;
}

const usd = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  minimumFractionDigits: 2,
  maximumFractionDigits: 4,
  signDisplay: "negative",
});

/** USD with 2 to 4 decimals (docs/console.md#formats); never 3, which would not align. */
export function formatUsd(amountUsd: number): string {
  return usd.format(amountUsd).replace(/\.\d{3}$/, "$&0");
}

/** A size given in GB, in the format of all sizes. */
export function formatGigabytes(sizeGB: number): string {
  return formatBytes(sizeGB * 1024 ** 3);
}

/** To a tenth. A small share does not read as 0%, and only the whole as 100%. */
export function formatPercent(percent: number): string {
  if (percent > 0 && percent < 0.1) return "<0.1%";
  const rounded = Math.round(percent * 10) / 10;
  return `${percent < 100 ? Math.min(rounded, 99.9) : rounded}%`;
}

const whole = new Intl.NumberFormat("en-US");

export function formatCount(count: number): string {
  return whole.format(count);
}

/** Singular and plural of a word. */
export type Noun = readonly [one: string, many: string];

/** A list's total; a capped one reads "10,000+". With a noun, "1 user". */
export function formatTotal(total: number, isCapped: boolean | undefined, noun?: Noun): string {
  const count = isCapped === true ? `${formatCount(total)}+` : formatCount(total);
  if (noun === undefined) return count;
  const [one, many] = noun;
  return `${count} ${total === 1 && isCapped !== true ? one : many}`;
}

/** Uptime as days, hours and minutes. */
export function formatUptime(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return `${Math.floor(minutes / 1_440)}d ${Math.floor(minutes / 60) % 24}h ${minutes % 60}m`;
}

/** A duration in its two largest units, e.g. "3h 12m" or "42s". */
export function formatDuration(totalSeconds: number): string {
  const seconds = Math.max(0, Math.round(totalSeconds));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${seconds % 60}s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours}h ${minutes % 60}m`;
  return `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });

const RELATIVE_STEPS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** Tolerance for recent times ahead of the shared clock, which ticks in steps of ten seconds. */
const AHEAD_SECONDS = 15;

/** "2 hr. ago"; "just now" for less than ten seconds ago, or one clock step ahead. */
export function formatRelative(at: Date, nowMs: number): string {
  const seconds = Math.round((at.getTime() - nowMs) / 1000);
  if (seconds > -10 && seconds < AHEAD_SECONDS) return "just now";
  for (const [unit, length] of RELATIVE_STEPS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return relative.format(seconds, "second");
}

const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** In the format of the browser's locale (the specification's "locale date-time"). */
export function formatDateTime(at: Date): string {
  return absolute.format(at);
}

const timeOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: "medium", hourCycle: "h23" });

export function formatTime(at: Date): string {
  return timeOfDay.format(at);
}

const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

export function formatDate(at: Date): string {
  return day.format(at);
}

const dayOfYear = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long" });
const dayOfAnyYear = new Intl.DateTimeFormat(undefined, { dateStyle: "long" });

/** "2 December", with the year unless it is the present one. */
export function formatDay(at: Date, nowMs: number): string {
  const isThisYear = at.getFullYear() === new Date(nowMs).getFullYear();
  return (isThisYear ? dayOfYear : dayOfAnyYear).format(at);
}

/** "3 uploads", "1 upload". */
export function formatPlural(count: number, one: string, many: string = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
