import { Link, useLocation } from "@tanstack/react-router";
import { Monitor, Moon, Sun } from "lucide-react";
import { useEffect, useRef } from "react";
import { chooseTheme, THEMES, useTheme, type Theme } from "#console/lib/theme.ts";
import { PRODUCT_TITLE } from "#console/ui/page.tsx";
import { ProductMark } from "#console/ui/product-mark.tsx";
import { VisuallyHidden } from "#console/ui/visually-hidden.tsx";
import { isHighlighted, NAVIGATION } from "./navigation.ts";
import styles from "./sidebar.module.css";

/** `onChoose` is called for every choice of a screen, including the current one. */
export function Sidebar({ onChoose }: { readonly onChoose?: () => void }) {
  return (
    <div className={styles.sidebar}>
      <div className={styles.brand}>
        <ProductMark size={30} />
        <div>
          <p className={styles.name}>{PRODUCT_TITLE}</p>
          <p className={styles.subtitle}>Control Panel</p>
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
  return (
    <nav aria-label="Main">
      <ul className={styles.list}>
        {NAVIGATION.map(({ to, label, icon: Icon }) => (
          <li key={to}>
            <Link
              to={to}
              className={styles.link}
              onClick={onChoose}
              activeOptions={{ exact: true, includeSearch: false }}
              data-highlighted={isHighlighted(to, pathname)}
            >
              <Icon aria-hidden="true" />
              {label}
            </Link>
          </li>
        ))}
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
    <fieldset className={styles.themes}>
      <legend>
        <VisuallyHidden>Theme</VisuallyHidden>
      </legend>
      {THEMES.map((theme) => {
        const { label, icon: Icon } = THEME_CHOICES[theme];
        return (
          <label key={theme} className={styles.theme} title={label}>
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
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={styles.drawer}
      aria-label="Navigation"
      closedby="any"
      onClose={(event) => {
        // In development, React mounts twice and reopens the dialog at once.
        if (!event.currentTarget.open) onClose();
      }}
    >
      <Sidebar onChoose={onClose} />
    </dialog>
  );
}
