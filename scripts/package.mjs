import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import { ensureAllBuilt } from "./build.mjs";
import { BUNDLED_PACKAGES, describeLicences } from "./bundled-packages.mjs";
import { ensureInstalled } from "./install.mjs";
import { prepareFolder, replaceFolder } from "./replace-folder.mjs";
import { ROOT, capture, fail } from "./tools.mjs";

// npm run package: what a release publishes, in dist/package. The same commit gives the same bytes.

const FOLDER = "dist/package";

/** In the package beside the built program and console. */
const PAGES = ["README.md", "CHANGELOG.md", "LICENSE"];

/**
 * Builds the npm package, the same as a plain tar, its bill of materials and their digests. All
 * packages that the program needs are in the build.
 * @returns {Promise<string>} the path of the npm package
 */
export async function buildPackage() {
  await ensureInstalled();
  await ensureAllBuilt({ isRelease: true });
  const own = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8"));
  const { name, version, description, license } = own;
  const fresh = prepareFolder(FOLDER);
  const contents = `${fresh}/contents`;
  const bundled = ["program", "console"].flatMap((part) => {
    cpSync(`${ROOT}dist/${part}`, `${contents}/dist/${part}`, { recursive: true });
    const list = `${contents}/dist/${part}/${BUNDLED_PACKAGES}`;
    const folders = readFileSync(list, "utf8").split("\n");
    rmSync(list);
    return folders;
  });
  writeFileSync(`${contents}/THIRD_PARTY_LICENSES`, describeLicences(bundled));
  for (const page of PAGES) cpSync(ROOT + page, `${contents}/${page}`);
  const manifest = {
    name,
    version,
    description,
    license,
    type: own.type,
    engines: { node: ">=24" },
    bin: { [name]: "dist/program/vodkeep.cjs" },
  };
  writeFileSync(`${contents}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
  await npm(["pack", contents, "--pack-destination", fresh]);
  const base = `${name}-${version}`;
  writeFileSync(`${fresh}/${base}.tar`, gunzipSync(readFileSync(`${fresh}/${base}.tgz`)));
  writeFileSync(`${fresh}/${base}.cdx.json`, await readMaterials(name));
  const sums = ["tgz", "tar", "cdx.json"].map((extension) => {
    const file = `${base}.${extension}`;
    const digest = createHash("sha256").update(readFileSync(`${fresh}/${file}`));
    return `${digest.digest("hex")}  ${file}\n`;
  });
  writeFileSync(`${fresh}/SHA256SUMS`, sums.join(""));
  mkdirSync(`${ROOT}dist`, { recursive: true });
  replaceFolder(fresh, FOLDER);
  return `${ROOT}${FOLDER}/${base}.tgz`;
}

/**
 * CycloneDX, without what differs from run to run; npm names the product after its folder.
 * @param {string} name
 */
async function readMaterials(name) {
  const options = ["--sbom-format=cyclonedx", "--sbom-type=application", "--omit=dev"];
  const { serialNumber: _number, ...materials } = JSON.parse(
    await npm(["sbom", ...options, "--package-lock-only"]),
  );
  delete materials.metadata.timestamp;
  materials.metadata.component.name = name;
  return `${JSON.stringify(materials, null, 2)}\n`;
}

/** @param {readonly string[]} args */
async function npm(args) {
  const { code, output } = await capture("npm", args, { npm_config_loglevel: "error" });
  if (code !== 0) fail(`${output}\nnpm ${args[0]} failed: see above.`);
  return output;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  console.log(await buildPackage());
}
