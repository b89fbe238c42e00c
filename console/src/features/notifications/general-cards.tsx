import { Monitor, Moon, Sun } from "lucide-react";
import { useId, useState } from "react";
import { RuleDialog } from "#console/domain/channels/rule-dialog.tsx";
import { useCan } from "#console/lib/session.ts";
import { chooseTheme, THEMES, useTheme, type Theme } from "#console/lib/theme.ts";
import { Button } from "#console/ui/button.tsx";
import { Card } from "#console/ui/card.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { VisuallyHidden } from "#console/ui/visually-hidden.tsx";
import styles from "./theme-choice.module.css";

/** What is set neither for notifications nor for credentials. */
export function GeneralCards({ isNew }: { readonly isNew: boolean }) {
  const mayWrite = useCan("write:uploads");
  const [isEditing, setEditing] = useState(isNew);
  return (
    <>
      <Card title="Theme">
        <div className="wrap gap4 small">
          <ThemeChoice />
          <span className="soft">Applies to this browser.</span>
        </div>
      </Card>
      {mayWrite && (
        <Card title="Default Rule">
          <div className="wrap gap4 small">
            <Button onClick={() => setEditing(true)}>Edit default rule</Button>
            <span className="soft">What is archived of channels without their own rule.</span>
          </div>
          {isEditing && <RuleDialog channel={null} onClose={() => setEditing(false)} />}
        </Card>
      )}
    </>
  );
}

const THEME_CHOICES: Readonly<Record<Theme, { label: string; icon: typeof Sun }>> = {
  system: { label: "System theme", icon: Monitor },
  light: { label: "Light theme", icon: Sun },
  dark: { label: "Dark theme", icon: Moon },
};

/** Icons side by side; their names are labels and tooltips. */
function ThemeChoice() {
  const name = useId();
  const chosen = useTheme();
  return (
    <fieldset className={classNames("stack gap0 framed", styles.themes)}>
      <legend>
        <VisuallyHidden>Theme</VisuallyHidden>
      </legend>
      {THEMES.map((theme) => {
        const { label, icon: Icon } = THEME_CHOICES[theme];
        return (
          <label key={theme} className={classNames("centre faint", styles.theme)} title={label}>
            <input
              type="radio"
              className="unseen"
              name={name}
              aria-label={label}
              checked={theme === chosen}
              onChange={() => chooseTheme(theme)}
            />
            <Icon />
          </label>
        );
      })}
    </fieldset>
  );
}
