import { existsSync } from "node:fs";

/** The folder of Debian's libraries for programs of arm64. */
const LIBRARIES = "/usr/aarch64-linux-gnu";
const EMULATOR = "/usr/bin/qemu-aarch64";

/** The start of a command line that runs a Linux program for arm64 on this machine. */
export const ARM64_EMULATOR: readonly string[] = process.arch === "arm64" ? [] : [EMULATOR, "-L", LIBRARIES];

/** The reason why programs for arm64 cannot be started here; undefined if they can. */
export const arm64Missing: string | undefined =
  process.arch !== "arm64" && !(existsSync(EMULATOR) && existsSync(`${LIBRARIES}/lib/libgcc_s.so.1`))
    ? "needs Debian's packages qemu-user, libc6-arm64-cross and libgcc-s1-arm64-cross"
    : undefined;
