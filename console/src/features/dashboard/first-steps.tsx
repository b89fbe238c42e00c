import { useQuery } from "@tanstack/react-query";
import { Link, type LinkProps } from "@tanstack/react-router";
import { Circle, CircleCheck, X } from "lucide-react";
import { useState } from "react";
import type { DataOf } from "#contract/call.ts";
import type { systemSetup } from "#contract/system.ts";
import { siteStore } from "#console/lib/browser-storage.ts";
import { FIRST_STEPS_KEY } from "#console/lib/preferences.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { IconButton } from "#console/ui/button.tsx";
import { Card } from "#console/ui/card.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { SkeletonFacts } from "#console/ui/facts.tsx";
import layout from "#console/ui/layout.module.css";
import { setupQuery } from "./dashboard-queries.ts";
import styles from "./dashboard.module.css";

type Step = DataOf<typeof systemSetup>["steps"][number];

const STEPS: Readonly<Record<Step["step"], { readonly label: string; readonly link: LinkProps }>> =
  {
    twitch: { label: "Connect Twitch", link: { to: "/system" } },
    storage: { label: "Check the storage", link: { to: "/files" } },
    archive: { label: "Archive a first VOD", link: { to: "/uploads", search: { archive: "new" } } },
    notifications: { label: "Set up notifications", link: { to: "/notifications" } },
    backup: { label: "Back up", link: { to: "/system", search: { view: "backups" } } },
  };

/** What a new deployment still needs, until it is done or this browser has put it away. */
export function FirstSteps() {
  const [isAway, setAway] = useState(false);
  const setup = useQuery(setupQuery());
  if (isAway || setup.isError) return null;
  const steps = setup.data?.steps;
  if (steps?.every(({ isDone }) => isDone)) return null;
  return (
    <Card
      title="First steps"
      actions={
        <IconButton
          label="Put the first steps away"
          onClick={() => {
            siteStore.setItem(FIRST_STEPS_KEY, "away");
            setAway(true);
          }}
        >
          <X />
        </IconButton>
      }
    >
      {steps === undefined ? (
        <SkeletonFacts rows={5} />
      ) : (
        <ol className={classNames(layout.ruled, layout.small)}>
          {steps.map(({ step, isDone, text }) => (
            <li key={step} className={styles.step}>
              {isDone ? (
                <CircleCheck color="var(--good)" role="img" aria-label="Done" />
              ) : (
                <Circle className={layout.faint} role="img" aria-label="To do" />
              )}
              <Link {...STEPS[step].link}>{STEPS[step].label}</Link>
              <span className={classNames(layout.note, layout.anywhere)}>{visibleText(text)}</span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
