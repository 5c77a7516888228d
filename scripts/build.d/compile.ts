import { mkdtemp, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { BunPlugin } from "bun";
import { embedAddon } from "../../src/db/libsql.ts";
import { keepClientCommands } from "./client-commands.ts";
import { checkFormat } from "./executable-format.ts";
import { findParts } from "./packages.ts";
import { signMachO } from "./sign-mach-o.ts";
import { type TargetName, targetOf } from "./targets.ts";

export interface CompileOptions {
  /** Whether to leave out the server: its commands, pages and database. */
  readonly isClient?: boolean;
}

/** Compiles src/main.ts for a target, and checks the header of the result. Resolves to its size. The same sources give the same bytes. */
export async function compile(root: string, name: TargetName, outfile: string, { isClient = false }: CompileOptions = {}): Promise<number> {
  const target = targetOf(name);
  const { addonPath, runtimePath } = await findParts(root, name);
  const patched = new Set<string>();
  // Bun also writes the source maps to this folder. The executable contains them too.
  const folder = await mkdtemp(join(dirname(outfile), ".build-"));
  await using _folder = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
  const compiled = join(folder, basename(outfile));
  const result = await Bun.build({
    entrypoints: [join(root, "src/main.ts")],
    root,
    minify: true,
    bytecode: true,
    // Splitting keeps modules that a command does not import from being loaded. Only ES modules can be split.
    format: "esm",
    splitting: true,
    sourcemap: "linked",
    plugins: [
      embedLibsqlAddon(target.addon, { addonPath, loaderPath: join(root, "src/runtime/load-addon.ts") }, patched),
      ...(isClient ? [leaveOutServer] : []),
    ],
    compile: {
      target: target.bun,
      outfile: compiled,
      autoloadDotenv: false,
      autoloadBunfig: false,
      ...(runtimePath === undefined ? {} : { executablePath: runtimePath }),
    },
    throw: false,
  });
  for (const message of result.logs) console.error(message);
  if (!result.success) throw new Error("Bun reported the errors above.");
  if (!isClient && !patched.has("index.js")) throw new Error("libsql was not part of the build: nothing opens the database.");
  if (isClient && patched.size > 0) throw new Error("A command of the client imports the database.");
  await checkFormat(compiled, target.format);
  if (name === "macos-x64") await signMachO(compiled);
  await rename(compiled, outfile);
  return (await stat(outfile)).size;
}

const leaveOutServer: BunPlugin = {
  name: "leave-out-server",
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/]cli[\\/]commands\.ts$/ }, async ({ path }) => ({
      contents: keepClientCommands(await Bun.file(path).text()),
      loader: "ts",
    }));
  },
};

/**
 * Replaces libsql's computed require of its addon, which Bun cannot resolve, with the require of a module that loads the embedded addon by
 * `loadAddon`.
 */
function embedLibsqlAddon(
  addon: string,
  { addonPath, loaderPath }: { readonly addonPath: string; readonly loaderPath: string },
  patched: Set<string>,
): BunPlugin {
  return {
    name: "embed-libsql-addon",
    setup(build) {
      build.onLoad({ filter: /[\\/]node_modules[\\/]libsql[\\/](index|promise)\.js$/ }, async ({ path }) => {
        const contents = embedAddon(await Bun.file(path).text(), addon);
        patched.add(path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1));
        return { contents, loader: "js" };
      });
      build.onResolve({ filter: /^@libsql\/(linux|darwin|win32)-/ }, ({ path }) => ({ path, namespace: "addon" }));
      build.onResolve({ filter: /^addon-file$/ }, () => ({ path: addonPath, namespace: "addon-file" }));
      build.onLoad({ filter: /./, namespace: "addon-file" }, async ({ path }) => ({
        contents: await Bun.file(path).bytes(),
        loader: "file",
      }));
      build.onResolve({ filter: /^addon-loader$/ }, () => ({ path: loaderPath, namespace: "file" }));
      build.onLoad({ filter: /./, namespace: "addon" }, () => ({
        contents: `import path from "addon-file";
import { loadAddon } from "addon-loader";
export const addon = loadAddon(path);`,
        loader: "js",
      }));
    },
  };
}
