import { Link, useLocation } from "@tanstack/react-router";
import { usePermissions } from "#console/lib/session.ts";
import { classNames } from "#console/ui/class-names.ts";
import { LightDialog } from "#console/ui/light-dialog.tsx";
import { PRODUCT_TITLE } from "#console/ui/page.tsx";
import { ProductMark } from "#console/ui/product-mark.tsx";
import { isHighlighted, mayOpen, NAVIGATION } from "../screens.ts";
import styles from "./sidebar.module.css";

/** `onChoose` is called for every choice of a screen, including the current one. */
export function Sidebar({ onChoose }: { readonly onChoose?: () => void }) {
  return (
    <div className={styles.sidebar}>
      <div className={classNames("row", styles.brand)}>
        <ProductMark size={30} />
        <div>
          <p className={classNames("small", styles.name)}>{PRODUCT_TITLE}</p>
          <p className={classNames("note", styles.subtitle)}>Control Panel</p>
        </div>
      </div>
      <Navigation onChoose={onChoose} />
    </div>
  );
}

function Navigation({ onChoose }: { readonly onChoose: (() => void) | undefined }) {
  const pathname = useLocation({ select: (location) => location.pathname });
  const permissions = usePermissions();
  return (
    <nav aria-label="Main">
      <ul className="stack gap0">
        {NAVIGATION.filter((one) => mayOpen(one, permissions)).map(
          ({ path, label, icon: Icon }) => (
            <li key={path}>
              <Link
                to={path}
                className={classNames("row small soft", styles.link)}
                onClick={onChoose}
                activeOptions={{ exact: true, includeSearch: false }}
                data-highlighted={isHighlighted(path, pathname)}
              >
                <Icon />
                {label}
              </Link>
            </li>
          ),
        )}
      </ul>
    </nav>
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
