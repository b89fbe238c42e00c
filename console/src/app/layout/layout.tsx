import { useRouter } from "@tanstack/react-router";
import { useSelector } from "@tanstack/react-store";
import { useEffect, useState, type ReactNode } from "react";
import type { Admin } from "#contract/auth.ts";
import { signInAsked } from "#console/lib/api-client.ts";
import { classNames } from "#console/ui/class-names.ts";
import { useShortcuts } from "../shortcuts/use-shortcuts.ts";
import { Banners } from "./banners.tsx";
import styles from "./layout.module.css";
import { CommandPalette, ShortcutsSheet, SignInAgainDialog } from "./lazy-parts.ts";
import { Sidebar, SidebarDialog } from "./sidebar.tsx";
import { TopBar } from "./top-bar.tsx";

/** Set by the bundler. */
declare const BUILD_COMMIT: string | null | undefined;

const BUILD_TITLE =
  typeof BUILD_COMMIT === "undefined" || BUILD_COMMIT === null
    ? undefined
    : `Commit ${BUILD_COMMIT}`;

export function Layout({
  admin,
  children,
}: {
  readonly admin: Admin;
  readonly children: ReactNode;
}) {
  const [navigationOpen, setNavigationOpen] = useState(false);
  const isSignInAsked = useSelector(signInAsked);
  const { dialog, typed, openDialog, closeDialog } = useShortcuts();
  useFocusOnArrival();
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#main">
        Skip to content
      </a>
      <aside className={styles.sidebar}>
        <Sidebar />
      </aside>
      {navigationOpen && <SidebarDialog onClose={() => setNavigationOpen(false)} />}
      <div className={styles.column}>
        <TopBar
          admin={admin}
          onOpenNavigation={() => setNavigationOpen(true)}
          onOpenPalette={() => openDialog("palette")}
        />
        <div className={classNames("fill", styles.panel)}>
          <div className={classNames("stack", styles.banners)}>
            <Banners />
          </div>
          <main id="main" className={classNames("fill", styles.main)} tabIndex={-1}>
            {children}
          </main>
          <footer className={classNames("note", styles.footer)} title={BUILD_TITLE}>
            Version 1.0.0
          </footer>
        </div>
      </div>
      {dialog === "palette" && (
        <CommandPalette
          initialText={typed}
          onClose={closeDialog}
          onShowShortcuts={() => openDialog("sheet")}
        />
      )}
      {isSignInAsked && <SignInAgainDialog onClose={() => signInAsked.setState(() => false)} />}
      {dialog === "sheet" && <ShortcutsSheet onClose={closeDialog} />}
    </div>
  );
}

/**
 * Moves the focus to the new screen's title, as a page load would: screen readers announce it, and
 * Tab starts there. Filter changes on the same screen do not move it.
 */
function useFocusOnArrival(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe("onRendered", ({ fromLocation, toLocation }) => {
        if (fromLocation === undefined || fromLocation.pathname === toLocation.pathname) return;
        document.querySelector<HTMLElement>("[data-page-title]")?.focus({ preventScroll: true });
      }),
    [router],
  );
}
