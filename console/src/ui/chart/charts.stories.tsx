import { CircleAlert, CircleCheck } from "lucide-react";
import { formatBytes } from "#contract/format-bytes.ts";
import { Table } from "../list/table.tsx";
import { Panels } from "../panels.tsx";
import { ChartView } from "./chart-view.tsx";
import { LaneChart } from "./lane-chart.tsx";
import { PieChart } from "./pie-chart.tsx";
import { Sparkline } from "./sparkline.tsx";
import { StackedBars } from "./stacked-bars.tsx";

export function Pie() {
  return (
    <PieChart
      label="Shares"
      slices={[
        { id: "a", label: "Most", value: 96, tone: "good", icon: <CircleCheck /> },
        { id: "b", label: "Few", value: 4, tone: "bad", icon: <CircleAlert /> },
      ]}
      renderName={({ label }) => label}
    />
  );
}

export function Bars() {
  return (
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
  );
}

export function Lanes() {
  return (
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
  );
}

export function MarkedLanesWithAGap() {
  return (
    <LaneChart
      label="Marked lanes"
      times={["10:00", "10:05", "10:10", "10:15", "10:20"]}
      lanes={[
        {
          id: "bytes",
          label: "Bytes",
          tone: "info",
          values: [2048, 1024, null, 512, 1536],
          format: formatBytes,
          atLeast: 0,
          smallestStep: 1,
          unit: 1_024,
        },
      ]}
      marks={[
        { number: 1, index: 0.5, tone: "bad" },
        { number: 2, index: 3, tone: "accent" },
      ]}
    />
  );
}

export function WithTable() {
  return (
    <Panels>
      <ChartView
        chart={
          <Sparkline label="Per day" caption={() => "1–4"} values={[1, 4, 2]} format={String} />
        }
        table={
          <Table caption="Per day" columns={[{ id: "value", header: "Value" }]}>
            {[1, 4, 2].map((value) => (
              <tr key={value}>
                <td>{value}</td>
              </tr>
            ))}
          </Table>
        }
        note="A note"
      />
    </Panels>
  );
}
