const UNITS = /^(?=\d)(?:(\d{1,3})h)?(?:(\d{1,4})m)?(?:(\d{1,6})s?)?$/;
const CLOCK = /^(?:(\d{1,3}):)?(\d{1,4}):(\d{1,2})$/;

/** A time in a video, e.g. "1:02:03". */
export function clockTime(offsetSec: number): string {
  const sec = Math.floor(offsetSec);
  const [minutes, seconds] = [Math.floor(sec / 60) % 60, sec % 60].map((part) =>
    String(part).padStart(2, "0"),
  );
  return `${Math.floor(sec / 3_600)}:${minutes}:${seconds}`;
}

/** Seconds of `1h2m3s`, `1:02:03`, `62:03` or plain seconds; undefined for anything else. */
export function parseTime(text: string): number | undefined {
  const parts = UNITS.exec(text.trim()) ?? CLOCK.exec(text.trim());
  if (parts === null) return undefined;
  const [hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  return hours * 3_600 + minutes * 60 + seconds;
}
