import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HOST, type TargetName, targetOf } from "./targets.ts";

/** The parts of a target, from packages of the npm registry. */
export interface TargetParts {
  /** The path of libsql's native addon. */
  readonly addonPath: string;
  /** The path of Bun's runtime; undefined for the runtime of this script. */
  readonly runtimePath: string | undefined;
}

/** Installs the packages of a target, with the versions and digests of bun.lock. The packages of this machine are already in node_modules. */
export async function findParts(root: string, name: TargetName): Promise<TargetParts> {
  const target = targetOf(name);
  const addon = `@libsql/${target.addon}`;
  if (name === HOST) return { addonPath: join(root, "node_modules", addon, "index.node"), runtimePath: undefined };
  const folder = join(root, ".tools/targets", name);
  const packages = join(folder, "node_modules");
  await install(root, folder, [target.runtime, addon]);
  const runtimePath = join(packages, target.runtime, "bin", target.format.kind === "PE" ? "bun.exe" : "bun");
  const addonPath = join(packages, addon, "index.node");
  for (const path of [runtimePath, addonPath]) if (!existsSync(path)) throw new Error(`${path} is missing from its package.`);
  return { addonPath, runtimePath };
}

interface Lock {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, readonly unknown[]>>;
}

/** Installs packages of the project's lock file into a folder, unless they are installed. */
async function install(root: string, folder: string, names: readonly string[]): Promise<void> {
  const lock = Bun.JSONC.parse(await readFile(join(root, "bun.lock"), "utf8")) as Lock;
  const entries = names.map((name) => [name, lock.packages[name] ?? missing(name)] as const);
  const dependencies = Object.fromEntries(entries.map(([name, [resolved]]) => [name, String(resolved).slice(name.length + 1)]));
  const contents = JSON.stringify(
    { ...lock, workspaces: { "": { name: "target", dependencies } }, packages: Object.fromEntries(entries) },
    null,
    2,
  );
  const stamp = join(folder, "installed");
  if ((await readFile(stamp, "utf8").catch(() => undefined)) === contents) return;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "target", dependencies }));
  await writeFile(join(folder, "bun.lock"), contents);
  await runInstall(folder, names);
  await writeFile(stamp, contents);
}

/** Runs the installation. Packages for other systems are installed only if their system and processor are named. */
async function runInstall(folder: string, names: readonly string[]): Promise<void> {
  const command = [process.execPath, "install", "--frozen-lockfile", "--no-progress", "--os", "*", "--cpu", "*"];
  const child = Bun.spawn(command, { cwd: folder, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  const output = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`${names.join(" and ")} could not be installed: ${output.trim()}`);
}

function missing(name: string): never {
  throw new Error(`bun.lock has no ${name}.`);
}
