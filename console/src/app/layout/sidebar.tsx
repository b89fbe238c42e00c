import { Link, useLocation } from "@tanstack/react-router";
import { Monitor, Moon, Sun } from "lucide-react";
import { usePermissions } from "#console/lib/session.ts";
import { chooseTheme, THEMES, useTheme, type Theme } from "#console/lib/theme.ts";
import { classNames } from "#console/ui/class-names.ts";
import layout from "#console/ui/layout.module.css";
import { LightDialog } from "#console/ui/light-dialog.tsx";
import { PRODUCT_TITLE } from "#console/ui/page.tsx";
import { ProductMark } from "#console/ui/product-mark.tsx";
import { VisuallyHidden } from "#console/ui/visually-hidden.tsx";
import { isHighlighted, mayOpen, NAVIGATION } from "../screens.ts";
import styles from "./sidebar.module.css";

/** `onChoose` is called for every choice of a screen, including the current one. */
export function Sidebar({ onChoose }: { readonly onChoose?: () => void }) {
  return (
    <div className={styles.sidebar}>
      <div className={classNames(layout.row, styles.brand)}>
        <ProductMark size={30} />
        <div>
          <p className={classNames(layout.small, styles.name)}>{PRODUCT_TITLE}</p>
          <p className={classNames(layout.note, styles.subtitle)}>Control Panel</p>
        </div>
      </div>
      <Navigation onChoose={onChoose} />
      <div className={styles.foot}>
        <ThemeChoice />
      </div>
    </div>
  );
}

function Navigation({ onChoose }: { readonly onChoose: (() => void) | undefined }) {
  const pathname = useLocation({ select: (location) => location.pathname });
  const permissions = usePermissions();
  return (
    <nav aria-label="Main">
      <ul className={classNames(layout.stack, layout.gap0)}>
        {NAVIGATION.filter((one) => mayOpen(one, permissions)).map(
          ({ path, label, icon: Icon }) => (
            <li key={path}>
              <Link
                to={path}
                className={classNames(layout.row, layout.small, layout.soft, styles.link)}
                onClick={onChoose}
                activeOptions={{ exact: true, includeSearch: false }}
                data-highlighted={isHighlighted(path, pathname)}
              >
                <Icon aria-hidden="true" />
                {label}
              </Link>
            </li>
          ),
        )}
      </ul>
    </nav>
  );
}

const THEME_CHOICES: Readonly<Record<Theme, { label: string; icon: typeof Sun }>> = {
  system: { label: "System theme", icon: Monitor },
  light: { label: "Light theme", icon: Sun },
  dark: { label: "Dark theme", icon: Moon },
};

function ThemeChoice() {
  const chosen = useTheme();
  return (
    <fieldset className={classNames(layout.stack, layout.gap0, styles.themes)}>
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
              name="theme"
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

/** Sidebar of narrow screens. Choosing a screen, a click outside and Escape close it. */
export function SidebarDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <LightDialog label="Navigation" className={styles.drawer} onClose={onClose}>
      <Sidebar onChoose={onClose} />
    </LightDialog>
  );
}
