/** Twitch's glyph (brand.twitch.com); the icon set ships no brand marks. */
export function TwitchMark() {
  return (
    <svg viewBox="0 0 24 24" fill="currentColor" aria-hidden="true">
      <path d="M6 0 1.7 4.3v15.4h5.1V24l4.3-4.3h3.4L22.3 12V0H6Zm14.6 11.1-3.4 3.5h-3.5l-3 3v-3H6.9V1.7h13.7v9.4Z" />
      <path d="M16.3 4.7H18v5.2h-1.7zM11.6 4.7h1.7v5.2h-1.7z" />
    </svg>
  );
}
