import type { Examination, Finding } from "#contract/examination.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Badge, type Tone, toneStyle } from "#console/ui/badge.tsx";
import { Card } from "#console/ui/card.tsx";
import { classNames } from "#console/ui/class-names.ts";
import styles from "./system.module.css";

const TONES: Readonly<Record<Finding["result"], Tone>> = {
  ok: "good",
  advice: "warn",
  problem: "bad",
};

/** One line for each check: "ok", or what to do. */
export function ExaminationCard({ examination }: { readonly examination: Examination }) {
  const { canArchive, differences, findings } = examination;
  return (
    <Card title="Checks">
      <p>
        {canArchive
          ? "A VOD could be archived whole, with its chat."
          : "Solve the problems below: until then, archives may fail."}
      </p>
      {differences.length > 0 && (
        <ul
          className={classNames("small callout", styles.reasons)}
          style={toneStyle("warn")}
          aria-label="Changes at Twitch"
        >
          {differences.map((difference) => (
            <li key={difference}>{visibleText(difference)}</li>
          ))}
        </ul>
      )}
      <ul className={styles.findings} aria-label="Results of the checks">
        {findings.map(({ topic, result, text }) => (
          <li key={topic} className={classNames("small anywhere", styles.finding)}>
            <span>
              <Badge tone={TONES[result]}>{result}</Badge>
            </span>
            <span>
              {topic}
              {text !== "" && `: ${visibleText(text)}`}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
