/** When a day begins in this browser's time zone, as an instant. Days may have 23 or 25 hours. */
export function startOf(day: Date, plusDays: number): string {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + plusDays).toISOString();
}
