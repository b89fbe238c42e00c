import { expect, test } from "vitest";
import { nameInAddress } from "./direct-address.ts";

test.each([
  ["https://media.test/films/night%20flight.mp4", "night flight.mp4"],
  ["https://media.test/", "media.test"],
  ["https://media.test/a%2Fb%0Ac%E2%80%AE4pm.exe", "a_b_c_4pm.exe"],
  ["https://media.test/%E0%A4", "%E0%A4"],
])("the video at %s is named %s", (address, name) => {
  expect(nameInAddress(address)).toBe(name);
});
