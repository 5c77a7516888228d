/**
 * Compiles src/main.ts with all dependencies into one executable.
 *
 *     bun scripts/build.ts [--target linux-x64|linux-arm64|linux-x64-musl|linux-arm64-musl] [--outfile ./filehost]
 */
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { BunPlugin } from "bun";
import { embedAddon } from "../src/db/libsql.ts";

/** Bun's target name → the package with libsql's native addon for it. */
const ADDONS = {
  "linux-x64": "linux-x64-gnu",
  "linux-arm64": "linux-arm64-gnu",
  "linux-x64-musl": "linux-x64-musl",
  "linux-arm64-musl": "linux-arm64-musl",
} as const;

type Target = keyof typeof ADDONS;

const root = resolve(import.meta.dirname, "..");
const { values } = parseArgs({
  options: {
    target: { type: "string", default: `linux-${process.arch}` },
    outfile: { type: "string", default: join(root, "filehost") },
    entry: { type: "string", default: join(root, "src/main.ts") },
  },
});

await build(toTarget(values.target), resolve(values.entry), resolve(values.outfile));

async function build(target: Target, entry: string, outfile: string): Promise<void> {
  const patched = new Set<string>();
  const result = await Bun.build({
    entrypoints: [entry],
    root,
    minify: true,
    bytecode: true,
    sourcemap: "linked",
    plugins: [embedLibsqlAddon(ADDONS[target], patched)],
    compile: { target: `bun-${target}`, outfile, autoloadDotenv: false, autoloadBunfig: false },
  });
  for (const message of result.logs) console.error(message);
  if (!result.success) process.exit(1);
  if (!patched.has("index.js")) throw new Error("libsql was not part of the build: nothing opens the database.");
  // The executable contains the source map as well.
  await rm(`${outfile}.map`, { force: true });
  console.error(`${outfile} (${target})`);
}

/** Replaces libsql's computed require of its addon, which Bun cannot resolve, with a literal one, so that the addon is embedded. */
function embedLibsqlAddon(addon: string, patched: Set<string>): BunPlugin {
  return {
    name: "embed-libsql-addon",
    setup(build) {
      build.onLoad({ filter: /\/node_modules\/libsql\/(index|promise)\.js$/ }, async ({ path }) => {
        if (!existsSync(join(root, "node_modules/@libsql", addon, "index.node"))) {
          throw new Error(`@libsql/${addon} is not installed. Another target's addon comes with: bun install --os linux --cpu '*'`);
        }
        const contents = embedAddon(await Bun.file(path).text(), addon);
        patched.add(path.slice(path.lastIndexOf("/") + 1));
        return { contents, loader: "js" };
      });
    },
  };
}

function toTarget(name: string): Target {
  if (Object.hasOwn(ADDONS, name)) return name as Target;
  throw new Error(`Unknown target ${name}. Known are: ${Object.keys(ADDONS).join(", ")}`);
}
