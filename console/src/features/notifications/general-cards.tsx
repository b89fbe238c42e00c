import { useState } from "react";
import { RuleDialog } from "#console/domain/channels/rule-dialog.tsx";
import { useCan } from "#console/lib/session.ts";
import { Button } from "#console/ui/button.tsx";
import { Card } from "#console/ui/card.tsx";
import { classNames } from "#console/ui/class-names.ts";
import layout from "#console/ui/layout.module.css";
import { ThemeChoice } from "./theme-choice.tsx";

/** What is set neither for notifications nor for credentials. */
export function GeneralCards({ isNew }: { readonly isNew: boolean }) {
  const mayWrite = useCan("write:uploads");
  const [isEditing, setEditing] = useState(isNew);
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
            <Button onClick={() => setEditing(true)}>Edit default rule</Button>
            <span className={layout.soft}>
              What is archived of channels without their own rule.
            </span>
          </div>
          {isEditing && <RuleDialog channel={null} onClose={() => setEditing(false)} />}
        </Card>
      )}
    </>
  );
}
