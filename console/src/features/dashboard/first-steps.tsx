import { useQuery } from "@tanstack/react-query";
import { Link, type LinkProps } from "@tanstack/react-router";
import { Circle, CircleCheck, X } from "lucide-react";
import { useEffect, useState } from "react";
import type { DataOf } from "#contract/call.ts";
import type { systemSetup } from "#contract/system.ts";
import { siteStore } from "#console/lib/browser-storage.ts";
import { FIRST_STEPS_KEY } from "#console/lib/preferences.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { IconButton } from "#console/ui/button.tsx";
import card from "#console/ui/card.module.css";
import { classNames } from "#console/ui/class-names.ts";
import { hasFirstSteps, setupQuery } from "./dashboard-queries.ts";
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

/**
 * What a new deployment still needs, on one line until it is opened. It is shown for the last time
 * with everything done, so that nothing moves.
 */
export function FirstSteps({ isLoading }: { readonly isLoading: boolean }) {
  const [isShown, setShown] = useState(hasFirstSteps);
  const setup = useQuery({ ...setupQuery(), enabled: isShown && !isLoading });
  const steps = setup.data?.steps;
  const next = steps?.find(({ isDone }) => !isDone);
  const isDone = steps !== undefined && next === undefined;
  useEffect(() => {
    if (isDone) siteStore.setItem(FIRST_STEPS_KEY, "away");
  }, [isDone]);
  if (!isShown || setup.isError) return null;
  return (
    <section
      className={classNames("small", card.card, styles.steps)}
      aria-label="First steps"
      aria-busy={steps === undefined}
    >
      <details className="fill">
        <summary>
          <strong>First steps</strong>
          {/* The space comes with what follows: one at the end of a line would move. */}
          {steps !== undefined && (
            <span className="soft">
              {" "}
              {steps.filter((one) => one.isDone).length} of {steps.length} ·{" "}
              {next === undefined ? "All done" : `Next: ${STEPS[next.step].label}`}
            </span>
          )}
        </summary>
        <ol className="ruled">
          {steps?.map(({ step, isDone: isThisDone, text }) => (
            <li key={step} className={styles.step}>
              {isThisDone ? (
                <CircleCheck color="var(--good)" role="img" aria-label="Done" />
              ) : (
                <Circle className="faint" role="img" aria-label="To do" />
              )}
              <Link {...STEPS[step].link}>{STEPS[step].label}</Link>
              <span className="note anywhere">{visibleText(text)}</span>
            </li>
          ))}
        </ol>
      </details>
      <IconButton
        label="Put the first steps away"
        onClick={() => {
          siteStore.setItem(FIRST_STEPS_KEY, "away");
          setShown(false);
        }}
      >
        <X />
      </IconButton>
    </section>
  );
}
