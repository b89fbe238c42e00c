import { CircleCheck } from "lucide-react";
import { StatCard, StatGrid } from "./stat-card.tsx";

export function Grid() {
  return (
    <StatGrid>
      <StatCard label="With a note" value="1,234" note="+12 today" />
      <StatCard label="With an icon" value="1" icon={<CircleCheck />} />
      <StatCard label="Without either" value="7" />
      <StatCard label="Loading" value={null} />
    </StatGrid>
  );
}
