/**
 * Compiles src/main.ts and everything that it needs into one executable.
 *
 *     bun scripts/build.ts [--target linux-x64|linux-arm64|linux-x64-musl|linux-arm64-musl] [--outfile ./filehost]
 */
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { BunPlugin } from "bun";

/** Bun's name of a target → the package that holds libsql's native addon for it. */
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
  // The map is inside the executable as well.
  await rm(`${outfile}.map`, { force: true });
  console.error(`${outfile} (${target})`);
}

/** Bun cannot see through libsql's computed require of its addon; a literal one is embedded in the executable. */
function embedLibsqlAddon(addon: string, patched: Set<string>): BunPlugin {
  return {
    name: "embed-libsql-addon",
    setup(build) {
      build.onLoad({ filter: /\/node_modules\/libsql\/(index|promise)\.js$/ }, async ({ path }) => {
        if (!existsSync(join(root, "node_modules/@libsql", addon, "index.node"))) {
          throw new Error(`@libsql/${addon} is not installed. Another target's addon comes with: bun install --os linux --cpu '*'`);
        }
        const source = await Bun.file(path).text();
        const literal = source
          .replace(/^const .* = require\("(@neon-rs\/load|detect-libc)"\);\n/gm, "")
          .replace(/^(if \(0\)|function requireNative\(\)) \{[\s\S]*?\n\}\n/gm, "")
          .replace("= requireNative();", `= require("@libsql/${addon}");`);
        if (literal.includes("requireNative") || literal.includes("@neon-rs") || !literal.includes(`require("@libsql/${addon}")`)) {
          throw new Error(`${path} is not as this build knows it: it must require its addon by a literal name.`);
        }
        patched.add(path.slice(path.lastIndexOf("/") + 1));
        return { contents: literal, loader: "js" };
      });
    },
  };
}

function toTarget(name: string): Target {
  if (Object.hasOwn(ADDONS, name)) return name as Target;
  throw new Error(`Unknown target ${name}. Known are: ${Object.keys(ADDONS).join(", ")}`);
}
