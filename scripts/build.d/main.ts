/** Compiles src/main.ts with all dependencies into executables. */
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { writeChecksums } from "./checksums.ts";
import { compile } from "./compile.ts";
import { fileNameOf, HOST, TARGET_NAMES, type TargetName, toTarget } from "./targets.ts";

const root = resolve(import.meta.dirname, "../..");

const USAGE = `usage: scripts/build [--all] [--target T]... [--client] [--out DIR]

Without options: ./filehost for this machine.

  --target T  build for T; may be repeated
  --all       build for all targets
  --client    leave out the server: filehost-client-T has the commands of a client alone
  --out DIR   write filehost-T for each target, and SHA256SUMS (dist)

targets: ${TARGET_NAMES.join(" ")}

Other targets take Bun's runtime and libsql's addon from the npm registry, checked against bun.lock.
`;

const { values } = parseArgs({
  options: {
    all: { type: "boolean", default: false },
    client: { type: "boolean", default: false },
    target: { type: "string", multiple: true, default: [] },
    out: { type: "string" },
    help: { type: "boolean", short: "h" },
  },
});

if (values.help) process.stdout.write(USAGE);
else process.exitCode = await main();

async function main(): Promise<number> {
  const targets = values.all ? TARGET_NAMES : values.target.map(toTarget);
  if (targets.length > 0) return await buildInto(resolve(values.out ?? join(root, "dist")), targets);
  if (values.out !== undefined || values.client) return await buildInto(resolve(values.out ?? join(root, "dist")), [HOST]);
  const outfile = join(root, "filehost");
  await compile(root, HOST, outfile);
  console.error(`${outfile} (${HOST})`);
  return 0;
}

/** Builds each target. A target that cannot be built does not prevent the others. Returns the exit code. */
async function buildInto(folder: string, targets: readonly TargetName[]): Promise<number> {
  await mkdir(folder, { recursive: true });
  const failed: string[] = [];
  for (const target of targets) {
    const outfile = join(folder, fileNameOf(target, values.client));
    try {
      const sizeBytes = await compile(root, target, outfile, { isClient: values.client });
      console.error(`${outfile} (${(sizeBytes / 1e6).toFixed(1)} MB)`);
    } catch (error) {
      failed.push(target);
      console.error(`${target} could not be built: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  await writeChecksums(folder);
  if (failed.length > 0) console.error(`Not built: ${failed.join(", ")}`);
  return failed.length === 0 ? 0 : 1;
}
