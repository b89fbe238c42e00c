import { formatBytes } from "#contract/format-bytes.ts";

export function formatSpeed(bytesPerSecond: number): string {
  return `${formatBytes(bytesPerSecond)}/s`;
}

// Numbers and distances in time are always English, and written by hand: the first use of `Intl`
// takes as long as the whole first screen's drawing. Dates in the viewer's own format need it.

/** USD with 2 to 4 decimals (docs/console.md#formats); never 3, which would not align. */
export function formatUsd(amountUsd: number): string {
  const [whole = "", decimals = ""] = Math.abs(amountUsd).toFixed(4).split(".");
  const text = `$${grouped(whole)}.${decimals.replace(/00$/, "")}`;
  return amountUsd < 0 && /[1-9]/.test(text) ? `-${text}` : text;
}

function grouped(digits: string): string {
  return digits.replace(/\B(?=(?:\d{3})+$)/g, ",");
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

export function formatCount(count: number): string {
  return grouped(String(count));
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

/** "670 h"; below ten hours a duration, which would read "0 h". */
export function formatHours(totalSeconds: number): string {
  if (totalSeconds < 36_000) return formatDuration(totalSeconds);
  return `${formatCount(Math.round(totalSeconds / 3_600))} h`;
}

/** With the words for one of the unit, where English has them. */
const RELATIVE_STEPS: readonly [seconds: number, unit: string, past?: string, next?: string][] = [
  [31_536_000, "yr.", "last yr.", "next yr."],
  [2_592_000, "mo.", "last mo.", "next mo."],
  [86_400, "days", "yesterday", "tomorrow"],
  [3_600, "hr."],
  [60, "min."],
  [1, "sec."],
];

/** Tolerance for recent times ahead of the shared clock, which ticks in steps of ten seconds. */
const AHEAD_SECONDS = 15;

/** "2 hr. ago"; "just now" for less than ten seconds ago, or one clock step ahead. */
export function formatRelative(at: Date, nowMs: number): string {
  const seconds = Math.round((at.getTime() - nowMs) / 1000);
  if (seconds > -10 && seconds < AHEAD_SECONDS) return "just now";
  for (const [length, unit, past, next] of RELATIVE_STEPS) {
    const count = Math.trunc(Math.abs(seconds) / length);
    if (count === 0) continue;
    const word = seconds < 0 ? past : next;
    if (count === 1 && word !== undefined) return word;
    return seconds < 0 ? `${count} ${unit} ago` : `in ${count} ${unit}`;
  }
  return "just now";
}

/** A format in the browser's own language, made when it is first used. */
export function dateFormat(options: Intl.DateTimeFormatOptions): (at: Date) => string {
  let format: Intl.DateTimeFormat | undefined;
  return (at) => (format ??= new Intl.DateTimeFormat(undefined, options)).format(at);
}

export const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** As `Intl` writes it in American English: making the first of its formats takes 15 ms. */
function formatAmericanDate(at: Date): string {
  return `${MONTHS[at.getMonth()]} ${at.getDate()}, ${at.getFullYear()}`;
}

function formatAmericanTime(at: Date): string {
  const [hours, ...rest] = [at.getHours(), at.getMinutes(), at.getSeconds()] as const;
  const digits = rest.map((number) => String(number).padStart(2, "0"));
  return `${[hours % 12 || 12, ...digits].join(":")} ${hours < 12 ? "AM" : "PM"}`;
}

const isAmerican = navigator.language === "en-US";

/** In the format of the browser's locale (the specification's "locale date-time"). */
export const formatDateTime = isAmerican
  ? (at: Date) => `${formatAmericanDate(at)}, ${formatAmericanTime(at)}`
  : dateFormat({ dateStyle: "medium", timeStyle: "medium" });
export const formatTime = dateFormat({ timeStyle: "medium", hourCycle: "h23" });
export const formatDate = isAmerican ? formatAmericanDate : dateFormat({ dateStyle: "medium" });

const formatDayOfYear = dateFormat({ day: "numeric", month: "long" });
const formatDayOfAnyYear = dateFormat({ dateStyle: "long" });

/** "2 December", with the year unless it is the present one. */
export function formatDay(at: Date, nowMs: number): string {
  const isThisYear = at.getFullYear() === new Date(nowMs).getFullYear();
  return (isThisYear ? formatDayOfYear : formatDayOfAnyYear)(at);
}

/** "3 uploads", "1 upload". */
export function formatPlural(count: number, one: string, many: string = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
