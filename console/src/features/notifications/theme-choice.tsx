import { Monitor, Moon, Sun } from "lucide-react";
import { useId } from "react";
import { chooseTheme, THEMES, useTheme, type Theme } from "#console/lib/theme.ts";
import { classNames } from "#console/ui/class-names.ts";
import layout from "#console/ui/layout.module.css";
import styles from "./theme-choice.module.css";
import { VisuallyHidden } from "#console/ui/visually-hidden.tsx";

const THEME_CHOICES: Readonly<Record<Theme, { label: string; icon: typeof Sun }>> = {
  system: { label: "System theme", icon: Monitor },
  light: { label: "Light theme", icon: Sun },
  dark: { label: "Dark theme", icon: Moon },
};

/** Icons side by side; their names are labels and tooltips. */
export function ThemeChoice() {
  const name = useId();
  const chosen = useTheme();
  return (
    <fieldset className={classNames(layout.stack, layout.gap0, layout.framed, styles.themes)}>
      <legend>
        <VisuallyHidden>Theme</VisuallyHidden>
      </legend>
      {THEMES.map((theme) => {
        const { label, icon: Icon } = THEME_CHOICES[theme];
        return (
          <label
            key={theme}
            className={classNames(layout.centre, layout.faint, styles.theme)}
            title={label}
          >
            <input
              type="radio"
              name={name}
              aria-label={label}
              checked={theme === chosen}
              onChange={() => chooseTheme(theme)}
            />
            <Icon aria-hidden="true" />
          </label>
        );
      })}
    </fieldset>
  );
}
