import { CircleCheck } from "lucide-react";
import { Sparkline } from "./chart/sparkline.tsx";
import { StatCard, StatGrid } from "./stat-card.tsx";

export function Grid() {
  return (
    <StatGrid>
      <StatCard label="With history" value="1,234" note="+12 today" trend={trend([1, 4, 2, 8])} />
      <StatCard label="With a gap" value="7" trend={trend([3, 5, null, 4, 7])} />
      <StatCard label="Always the same" value="4" trend={trend([4, 4, 4, 4])} />
      <StatCard label="No history" value="1" icon={<CircleCheck />} trend={trend([null, 1])} />
      <StatCard label="Loading" value={null} />
    </StatGrid>
  );
}

function trend(values: readonly (number | null)[]) {
  return <Sparkline label="Per day" caption={countOf} values={values} format={String} />;
}

const countOf = (known: readonly number[]) => `${known.length} days`;
