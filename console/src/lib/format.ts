import { formatBytes } from "#contract/format-bytes.ts";

export function formatSpeed(bytesPerSecond: number): string {
  return `${formatBytes(bytesPerSecond)}/s`;
}

/** 1,234.5. Without Intl, whose first use takes 15 to 20 ms on a fast machine. */
function withCommas(amount: number): string {
  const [whole = "", ...fraction] = String(amount).split(".");
  return [whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ","), ...fraction].join(".");
}

/** USD with 2 to 4 decimals (docs/console.md#formats). */
export function formatUsd(amountUsd: number): string {
  const tenThousandths = Math.round(Math.abs(amountUsd) * 10_000);
  const sign = amountUsd < 0 && tenThousandths > 0 ? "-" : "";
  const decimals = String(tenThousandths % 10_000).padStart(4, "0");
  return `${sign}$${formatCount(Math.floor(tenThousandths / 10_000))}.${decimals.replace(/0{1,2}$/, "")}`;
}

/** A size given in GB. A small amount does not read as zero. */
export function formatGigabytes(sizeGB: number): string {
  return sizeGB > 0 && sizeGB < 0.01
    ? "<0.01 GB"
    : `${withCommas(Math.round(sizeGB * 100) / 100)} GB`;
}

/** To a tenth. A small share does not read as 0%, and only the whole as 100%. */
export function formatPercent(percent: number): string {
  if (percent > 0 && percent < 0.1) return "<0.1%";
  const rounded = Math.round(percent * 10) / 10;
  return `${percent < 100 ? Math.min(rounded, 99.9) : rounded}%`;
}

export function formatCount(count: number): string {
  return withCommas(count);
}

/** "12.4M": large amounts are abbreviated. */
export function formatQuantity(amount: number): string {
  if (amount > 0 && amount < 0.05) return "<0.1";
  let value = amount;
  let unit = 0;
  while (Math.round(value * 10) >= 10_000 && unit < QUANTITY_UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${withCommas(Math.round(value * 10) / 10)}${QUANTITY_UNITS[unit]}`;
}

const QUANTITY_UNITS = ["", "K", "M", "B", "T"];

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

const RELATIVE_STEPS: readonly (readonly [
  unit: string,
  seconds: number,
  last?: string,
  next?: string,
])[] = [
  ["yr.", 31_536_000, "last yr.", "next yr."],
  ["mo.", 2_592_000, "last mo.", "next mo."],
  ["days", 86_400, "yesterday", "tomorrow"],
  ["hr.", 3_600],
  ["min.", 60],
  ["sec.", 1],
];

/** Tolerance for recent times ahead of the shared clock, which ticks in steps of ten seconds. */
const AHEAD_SECONDS = 15;

/** "2 hr. ago"; "just now" for less than ten seconds ago, or one clock step ahead. */
export function formatRelative(at: Date, nowMs: number): string {
  const seconds = Math.round((at.getTime() - nowMs) / 1000);
  if (seconds > -10 && seconds < AHEAD_SECONDS) return "just now";
  const distance = Math.abs(seconds);
  const step = RELATIVE_STEPS.find(([, length]) => distance >= length);
  if (step === undefined) return "just now";
  const [unit, length, last, next] = step;
  const amount = Math.trunc(distance / length);
  if (amount === 1 && last !== undefined && next !== undefined) return seconds < 0 ? last : next;
  return seconds < 0 ? `${formatCount(amount)} ${unit} ago` : `in ${formatCount(amount)} ${unit}`;
}

/** "11:57:00 AM". */
export function formatTime(at: Date): string {
  return `${clockOf(at)}:${twoDigits(at.getSeconds())}${halfOf(at)}`;
}

/** "Nov 23, 11:57 AM". */
export function formatMinute(at: Date): string {
  return `${dayOf(at)}, ${clockOf(at)}${halfOf(at)}`;
}

/** "Nov 23, 2026, 11:57:00 AM". */
export function formatDateTime(at: Date): string {
  return `${dayOf(at)}, ${at.getFullYear()}, ${formatTime(at)}`;
}

function dayOf(at: Date): string {
  // "Mon Nov 02 2026" in every locale.
  const [, month, day] = at.toDateString().split(" ");
  return `${month} ${Number(day)}`;
}

function clockOf(at: Date): string {
  return `${((at.getHours() + 11) % 12) + 1}:${twoDigits(at.getMinutes())}`;
}

function halfOf(at: Date): string {
  return at.getHours() < 12 ? " AM" : " PM";
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

/** "3 uploads", "1 upload". */
export function formatPlural(count: number, one: string, many: string = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
