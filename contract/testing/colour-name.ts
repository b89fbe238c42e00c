/** The common name of a computed colour; the design's colours are in OKLCH. */
export function colourName(colour: string): string {
  const hue = Number(/^oklch\(\S+ \S+ (\S+?)\)/.exec(colour)?.[1]);
  if (hue < 35) return "red";
  if (hue < 58) return "orange";
  if (hue < 110) return "yellow";
  if (hue < 180) return "green";
  return hue > 230 && hue < 275 ? "blue" : colour;
}
