import { CircleAlert, CircleCheck } from "lucide-react";
import { healthStatusSchema } from "#contract/system.ts";
import { Card } from "#console/ui/card.tsx";
import { ChartView } from "#console/ui/chart/chart-view.tsx";
import { Detail, Details } from "#console/ui/details.tsx";
import { Facts, SkeletonFacts } from "#console/ui/facts.tsx";
import { HealthBadge } from "#console/ui/health-badge.tsx";
import { JsonView } from "#console/ui/json-view.tsx";
import { LaneChart } from "#console/ui/chart/lane-chart.tsx";
import { Panels } from "#console/ui/panels.tsx";
import { PieChart } from "#console/ui/chart/pie-chart.tsx";
import { Sparkline } from "#console/ui/chart/sparkline.tsx";
import { StackedBars } from "#console/ui/chart/stacked-bars.tsx";
import { StatCard, StatGrid } from "#console/ui/stat-card.tsx";
import { Table } from "#console/ui/list/table.tsx";

/** Charts, lists of facts, health of components, and raw JSON. */
export function Figures() {
  return (
    <>
      <Numbers />
      <Charts />
    </>
  );
}

function Numbers() {
  return (
    <StatGrid>
      <StatCard
        label="With history"
        value="1,234"
        note="+12 today"
        trend={<Trend values={[1, 4, 2, 8, 5]} />}
      />
      <StatCard label="With a gap" value="7" trend={<Trend values={[3, 5, null, 4, 7]} />} />
      <StatCard label="Always the same" value="4" trend={<Trend values={[4, 4, 4, 4]} />} />
      <StatCard
        label="Without history"
        value="1"
        icon={<CircleCheck />}
        trend={<Trend values={[null, 1]} />}
      />
      <StatCard label="Loading" value={null} />
    </StatGrid>
  );
}

function Trend({ values }: { readonly values: readonly (number | null)[] }) {
  return <Sparkline label="A day" values={values} format={String} />;
}

function Charts() {
  return (
    <Panels>
      <Card title="Shares">
        <PieChart
          label="Shares"
          slices={[
            { id: "a", label: "Most", value: 96, tone: "good", icon: <CircleCheck /> },
            { id: "b", label: "Few", value: 4, tone: "bad", icon: <CircleAlert /> },
          ]}
          renderName={({ label }) => label}
        />
      </Card>
      <Card title="Bars">
        <StackedBars
          label="Bars"
          series={[
            { key: "one", label: "One", tone: "accent" },
            { key: "two", label: "Two", tone: "info" },
          ]}
          bars={[
            { name: "Mon", values: { one: 2, two: 1 } },
            { name: "Tue", values: { one: 0, two: 0 } },
            { name: "Wed", values: { one: 4, two: 3 } },
          ]}
          format={String}
          smallestStep={1}
        />
      </Card>
      <Card title="Lanes">
        <LaneChart
          label="Lanes"
          times={["10:00", "10:05", "10:10"]}
          lanes={[
            {
              id: "one",
              label: "One",
              tone: "accent",
              values: [1, 3, 2],
              format: String,
              atLeast: 2,
              smallestStep: 1,
            },
          ]}
        />
      </Card>
      <Card title="A chart and its table">
        <ChartView
          chart={<Sparkline label="A day" values={[1, 4, 2]} format={String} />}
          table={
            <Table caption="A day" columns={[{ id: "value", header: "Value" }]}>
              {[1, 4, 2].map((value) => (
                <tr key={value}>
                  <td>{value}</td>
                </tr>
              ))}
            </Table>
          }
          note="A note"
        />
      </Card>
      <Card title="Facts">
        <Facts
          facts={healthStatusSchema.options.map((status) => ({
            name: status,
            note: "A note",
            value: <HealthBadge status={status} />,
          }))}
        />
        <SkeletonFacts rows={2} />
        <JsonView value={{ bytes: 12, names: ["a", "b"] }} label="data" />
      </Card>
      <Card title="Details">
        <Details>
          <Detail name="Key">vods/1005/2000000001/sample.ts</Detail>
          <Detail name="Size">12 MB</Detail>
        </Details>
      </Card>
    </Panels>
  );
}
