import { ChartLine, Table as TableIcon } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Button } from "../button.tsx";
import { classNames } from "../class-names.ts";
import styles from "./chart.module.css";

/** A chart and a table with the same figures, with a button to switch. */
export function ChartView({
  chart,
  table,
  note,
}: {
  readonly chart: ReactNode;
  readonly table: ReactNode;
  readonly note?: ReactNode;
}) {
  const [asTable, setAsTable] = useState(false);
  return (
    <div className={classNames("stack narrowing", styles.view)}>
      {asTable ? table : chart}
      <div className={classNames("wrap end", styles.foot)}>
        {note !== undefined && <p className={classNames("note", styles.note)}>{note}</p>}
        <Button
          kind="quiet"
          icon={asTable ? <ChartLine /> : <TableIcon />}
          onClick={() => setAsTable(!asTable)}
        >
          {asTable ? "Show chart" : "Show table"}
        </Button>
      </div>
    </div>
  );
}
