import { Link } from "@tanstack/react-router";
import { useCan } from "#console/lib/session.ts";
import { buttonClassName } from "#console/ui/button.tsx";
import { Card } from "#console/ui/card.tsx";
import { classNames } from "#console/ui/class-names.ts";
import layout from "#console/ui/layout.module.css";
import { ThemeChoice } from "./theme-choice.tsx";

/** What is set neither for notifications nor for credentials. */
export function GeneralCards() {
  const mayWrite = useCan("write:uploads");
  return (
    <>
      <Card title="Theme">
        <div className={classNames(layout.wrap, layout.gap4, layout.small)}>
          <ThemeChoice />
          <span className={layout.soft}>Applies to this browser.</span>
        </div>
      </Card>
      {mayWrite && (
        <Card title="Default Rule">
          <div className={classNames(layout.wrap, layout.gap4, layout.small)}>
            <Link
              to="/channels"
              search={{ rule: "default" }}
              className={buttonClassName("secondary")}
            >
              Edit default rule
            </Link>
            <span className={layout.soft}>
              What is archived of channels without their own rule.
            </span>
          </div>
        </Card>
      )}
    </>
  );
}
