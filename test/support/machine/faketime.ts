import { existsSync } from "node:fs";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const LIBRARY = ["x86_64", "aarch64"]
  .map((cpu) => `/usr/lib/${cpu}-linux-gnu/faketime/libfaketimeMT.so.1`)
  .find((path) => existsSync(path));

/** The reason why suites that set a server's clock are skipped; undefined if Debian's faketime is installed. */
export const faketimeMissing = LIBRARY === undefined ? "faketime is not installed" : undefined;

/** A separate clock for a process that is started with `env`. */
export interface FakeClock extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
  /** Sets the clock to the machine's clock plus `seconds`. */
  set(seconds: number): Promise<void>;
}

/** Opens a clock that is `seconds` ahead of the machine's. Its speed is unchanged. */
export async function openFakeClock(seconds = 0): Promise<FakeClock> {
  const folder = await mkdtemp(join(tmpdir(), "filehost-clock-"));
  const path = join(folder, "offset");
  const set = async (offset: number): Promise<void> => {
    await writeFile(`${path}.new`, `${offset < 0 ? "" : "+"}${offset}s\n`);
    await rename(`${path}.new`, path);
  };
  await set(seconds);
  return {
    env: {
      LD_PRELOAD: LIBRARY ?? "",
      FAKETIME_TIMESTAMP_FILE: path,
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    },
    set,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
