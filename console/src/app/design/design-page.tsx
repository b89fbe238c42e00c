import { Page } from "#console/ui/page.tsx";
import { Actions, Overlays } from "./design-actions.tsx";
import { Figures } from "./design-charts.tsx";
import { Colours } from "./design-colours.tsx";
import { Fields } from "./design-fields.tsx";
import { Lists } from "./design-lists.tsx";
import { States } from "./design-states.tsx";
import { Statuses } from "./design-statuses.tsx";

/** Every component in every state, for visual checks during development. */
export function DesignPage() {
  return (
    <Page title="Design" subtitle="Every component in every state">
      <Colours />
      <Figures />
      <Actions />
      <Fields />
      <Statuses />
      <Overlays />
      <Lists />
      <States />
    </Page>
  );
}
