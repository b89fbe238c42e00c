// Loaded before anything else, also by versions of Node that cannot parse the rest: old syntax only.

var given = process.versions.node.split(".").map(Number);
var major = given[0] || 0;
var minor = given[1] || 0;
/** As `engines` in package.json: with older versions npm leaves out programs that the build needs. */
var isSupported = major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19);

if (!isSupported) {
  console.error(
    "Vodkeep needs Node 20.19, 22.12 or a later version to start; this is Node " +
      process.versions.node +
      ". See https://nodejs.org/en/download.",
  );
  process.exit(1);
}
