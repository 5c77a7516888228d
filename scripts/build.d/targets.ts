/** A system for which filehost is built. */
export interface Target {
  /** Bun's name of the target. */
  readonly bun: Bun.Build.CompileTarget;
  /** The package with Bun's runtime for the target. */
  readonly runtime: string;
  /** The package with libsql's native addon for the target, without its scope. */
  readonly addon: string;
  /** The header of the target's executables. */
  readonly format: ExecutableFormat;
}

export interface ExecutableFormat {
  readonly kind: "ELF" | "Mach-O" | "PE";
  readonly arch: "x64" | "arm64";
  /** The loader that an ELF file names, which distinguishes glibc from musl. */
  readonly loader?: string;
}

const TARGETS = {
  "linux-x64": {
    bun: "bun-linux-x64",
    runtime: "@oven/bun-linux-x64",
    addon: "linux-x64-gnu",
    format: { kind: "ELF", arch: "x64", loader: "/lib64/ld-linux-x86-64.so.2" },
  },
  "linux-arm64": {
    bun: "bun-linux-arm64",
    runtime: "@oven/bun-linux-aarch64",
    addon: "linux-arm64-gnu",
    format: { kind: "ELF", arch: "arm64", loader: "/lib/ld-linux-aarch64.so.1" },
  },
  "linux-x64-musl": {
    bun: "bun-linux-x64-musl",
    runtime: "@oven/bun-linux-x64-musl",
    addon: "linux-x64-musl",
    format: { kind: "ELF", arch: "x64", loader: "/lib/ld-musl-x86_64.so.1" },
  },
  "linux-arm64-musl": {
    bun: "bun-linux-arm64-musl",
    runtime: "@oven/bun-linux-aarch64-musl",
    addon: "linux-arm64-musl",
    format: { kind: "ELF", arch: "arm64", loader: "/lib/ld-musl-aarch64.so.1" },
  },
  "macos-x64": {
    bun: "bun-darwin-x64",
    runtime: "@oven/bun-darwin-x64",
    addon: "darwin-x64",
    format: { kind: "Mach-O", arch: "x64" },
  },
  "macos-arm64": {
    bun: "bun-darwin-arm64",
    runtime: "@oven/bun-darwin-aarch64",
    addon: "darwin-arm64",
    format: { kind: "Mach-O", arch: "arm64" },
  },
  "windows-x64": {
    bun: "bun-windows-x64",
    runtime: "@oven/bun-windows-x64",
    addon: "win32-x64-msvc",
    format: { kind: "PE", arch: "x64" },
  },
} as const satisfies Record<string, Target>;

export type TargetName = keyof typeof TARGETS;

export const TARGET_NAMES = Object.keys(TARGETS) as readonly TargetName[];

/** The target that runs on this machine. */
export const HOST: TargetName = toTarget(hostName());

export const targetOf = (name: TargetName): Target => TARGETS[name];

/** Returns `filehost-{target}` or `filehost-client-{target}`, with `.exe` for Windows. */
export const fileNameOf = (name: TargetName, isClient = false): string =>
  `filehost-${isClient ? "client-" : ""}${name}${name.startsWith("windows") ? ".exe" : ""}`;

/** Returns the target with a name. Throws for an unknown name. */
export function toTarget(name: string): TargetName {
  if (Object.hasOwn(TARGETS, name)) return name as TargetName;
  throw new Error(`Unknown target ${name}. Known are: ${Object.keys(TARGETS).join(", ")}`);
}

function hostName(): string {
  if (process.platform === "darwin") return `macos-${process.arch}`;
  if (process.platform === "win32") return `windows-${process.arch}`;
  // The report names the library with which Bun was linked.
  const report = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };
  return `linux-${process.arch}${report.header.glibcVersionRuntime === undefined ? "-musl" : ""}`;
}
