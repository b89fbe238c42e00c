import { CircleAlert, CircleCheck } from "lucide-react";
import { formatBytes } from "#contract/format-bytes.ts";
import { Table } from "../list/table.tsx";
import { Panels } from "../panels.tsx";
import { Chart } from "./chart.tsx";
import { ChartView } from "./chart-view.tsx";
import { PieChart } from "./pie-chart.tsx";

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
    <Chart
      label="Bars"
      xs={[0, 1, 2]}
      nameOf={(index) => ["Mon", "Tue", "Wed"][index] ?? ""}
      laneHeight={150}
      lanes={[
        {
          label: "Bars",
          bars: true,
          format: String,
          smallestStep: 1,
          series: [
            { label: "One", tone: "accent", values: [2, 0, 4] },
            { label: "Two", tone: "info", values: [1, 0, 3] },
          ],
        },
      ]}
    />
  );
}

export function MarkedLinesWithAGap() {
  return (
    <Chart
      label="Marked lines"
      xs={[0, 1, 2, 3, 4]}
      nameOf={(minute) => `10:0${minute}`}
      laneHeight={72}
      lanes={[
        {
          label: "Count",
          format: String,
          atLeast: 2,
          smallestStep: 1,
          series: [{ label: "Count", tone: "accent", values: [1, 3, 2, 2, 1] }],
        },
        {
          label: "Bytes",
          format: formatBytes,
          smallestStep: 1,
          unit: 1_024,
          series: [{ label: "Bytes", tone: "info", values: [2048, 1024, null, 512, null] }],
        },
      ]}
      marks={[
        { number: 1, x: 0.5, tone: "bad" },
        { number: 2, x: 3, tone: "accent" },
      ]}
    />
  );
}

export function WithTable() {
  return (
    <Panels>
      <ChartView
        chart={<Pie />}
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
