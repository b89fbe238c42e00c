import { Card } from "#console/ui/card.tsx";
import styles from "./design-page.module.css";

const COLOURS = [
  "canvas",
  "surface",
  "surface-sunken",
  "surface-hover",
  "surface-press",
  "line",
  "line-control",
  "text",
  "text-soft",
  "text-faint",
  "accent",
  "accent-solid",
  "accent-soft",
  "good",
  "warn",
  "alert",
  "bad",
  "info",
];

export function Colours() {
  return (
    <Card title="Colours">
      <div className={styles.swatches}>
        {COLOURS.map((name) => (
          <div key={name} className={styles.swatch}>
            <span style={{ background: `var(--${name})` }} />
            {name}
          </div>
        ))}
      </div>
    </Card>
  );
}
