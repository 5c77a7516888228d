import { existsSync } from "node:fs";

/** Debian's libraries for programs of this processor. */
const LIBRARIES = "/usr/aarch64-linux-gnu";
const EMULATOR = "/usr/bin/qemu-aarch64";

/** Runs a Linux program for arm64, which the command line goes on with, on this machine. */
export const ARM64_EMULATOR: readonly string[] = process.arch === "arm64" ? [] : [EMULATOR, "-L", LIBRARIES];

/** Why programs for arm64 cannot be started here; undefined if they can. */
export const arm64Missing: string | undefined =
  process.arch !== "arm64" && !(existsSync(EMULATOR) && existsSync(`${LIBRARIES}/lib/libgcc_s.so.1`))
    ? "needs Debian's packages qemu-user, libc6-arm64-cross and libgcc-s1-arm64-cross"
    : undefined;
