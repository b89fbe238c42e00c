import { Avatar } from "./avatar.tsx";

export function Initials() {
  return (
    <>
      <Avatar name="Avery Admin" imageUrl={null} size={24} />
      <Avatar name="kettle_and_keys" imageUrl={null} size={40} />
    </>
  );
}
