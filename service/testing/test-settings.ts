/** Settings of services under test, beside those that point them at a stand-in. */
export const TEST_SETTINGS = {
  // So small that tests pass on a nearly full disk.
  STORAGE_RESERVE_GB: "0.001",
  SECRET_KEY: "a key for tests, not for keeping",
} as const;
