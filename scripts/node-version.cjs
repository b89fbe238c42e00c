// Loaded before anything else, also by versions of Node that cannot parse the rest: old syntax only.

/** As `engines` in package.json: with older versions npm leaves out programs that the build needs. */
var given = process.versions.node.split(".").map(Number);
var isSupported =
  given[0] > 22 || (given[0] === 22 && given[1] >= 12) || (given[0] === 20 && given[1] >= 19);

if (!isSupported) {
  console.error(
    "Vodkeep needs Node 20.19, 22.12 or a later version to start; this is Node " +
      process.versions.node +
      ". See https://nodejs.org/en/download.",
  );
  process.exit(1);
}
