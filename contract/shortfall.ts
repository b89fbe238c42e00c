/** A playlist that is shorter than the duration that its source states. */
export type Shortfall = { readonly statedDurationSec: number; readonly durationSec: number };

/**
 * "Twitch states 5:00; its playlist has 3:20", without a full stop. Shared, so that console,
 * failures and notifications say it alike.
 */
export function shortfallText(
  { statedDurationSec, durationSec }: Shortfall,
  source = "Twitch",
): string {
  return `${source} states ${clockText(statedDurationSec)}; its playlist has ${clockText(durationSec)}`;
}

function clockText(sec: number): string {
  const whole = Math.round(sec);
  const hours = Math.floor(whole / 3_600);
  const minutes = Math.floor(whole / 60) % 60;
  const seconds = String(whole % 60).padStart(2, "0");
  return hours === 0
    ? `${minutes}:${seconds}`
    : `${hours}:${String(minutes).padStart(2, "0")}:${seconds}`;
}
