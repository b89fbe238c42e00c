import { formatPlural } from "#console/lib/format.ts";

/** For an address: `1h2m3s`. */
export function formatTime(sec: number): string {
  const { hours, minutes, seconds } = unitsOf(sec);
  const text = [hours && `${hours}h`, minutes && `${minutes}m`, seconds && `${seconds}s`];
  return text.filter(Boolean).join("") || "0s";
}

/** For a player: `1:02:03` or `2:03`. */
export function formatClock(sec: number): string {
  const { hours, minutes, seconds } = unitsOf(sec);
  const end = String(seconds).padStart(2, "0");
  return hours === 0 ? `${minutes}:${end}` : `${hours}:${String(minutes).padStart(2, "0")}:${end}`;
}

/** For screen readers: `1 hour 2 minutes 3 seconds`. */
export function speakTime(sec: number): string {
  const { hours, minutes, seconds } = unitsOf(sec);
  return [
    hours && formatPlural(hours, "hour"),
    minutes && formatPlural(minutes, "minute"),
    (seconds || sec < 60) && formatPlural(seconds, "second"),
  ]
    .filter(Boolean)
    .join(" ");
}

function unitsOf(sec: number) {
  const whole = Math.max(0, Math.floor(sec));
  return {
    hours: Math.floor(whole / 3_600),
    minutes: Math.floor(whole / 60) % 60,
    seconds: whole % 60,
  };
}
