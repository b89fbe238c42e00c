import { useState } from "react";
import { Tabs } from "./tabs.tsx";

const TABS = [
  { id: "overview", label: "Overview" },
  { id: "trends", label: "Trends" },
  { id: "alerts", label: "Alerts" },
] as const;

export function Three() {
  const [chosen, setChosen] = useState<(typeof TABS)[number]["id"]>("overview");
  return (
    <div>
      <Tabs label="Sample tabs" tabs={TABS} chosen={chosen} onChoose={setChosen}>
        The panel of {chosen}
      </Tabs>
    </div>
  );
}
