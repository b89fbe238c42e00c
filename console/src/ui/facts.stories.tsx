import { healthStatusSchema } from "#contract/system.ts";
import { Detail, Details } from "./details.tsx";
import { Facts } from "./facts.tsx";
import { HealthBadge } from "./health-badge.tsx";
import { JsonView } from "./json-view.tsx";

export function Filled() {
  return (
    <Facts
      facts={healthStatusSchema.options.map((status) => ({
        name: status,
        value: <HealthBadge status={status} />,
      }))}
    />
  );
}

export function InDetail() {
  return (
    <Details>
      <Detail name="Key">{`vods/1005/2000000001/${"long-name-".repeat(12)}.ts`}</Detail>
      <Detail name="Size">12 MB</Detail>
    </Details>
  );
}

export function Json() {
  return <JsonView value={{ bytes: 12, names: ["a", "b"] }} label="data" />;
}
