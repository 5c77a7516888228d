import { readFile, stat } from "node:fs/promises";
import { type Check, ok, warn } from "./finding.ts";

/** Every connection takes one, and a download from the disk two. */
const ENOUGH_FILES = 4096;

/** What the operating system allows: open files; whether its clock is set by the network, where it says so. */
export const machine: Check = {
  what: "machine",
  limitMs: 5_000,
  async *look() {
    const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
    const [, soft, hard] = /^Max open files\s+(\S+)\s+(\S+)/m.exec(limits) ?? [];
    const files = Math.max(...[soft, hard].map((text) => (text === "unlimited" ? Number.POSITIVE_INFINITY : Number(text ?? 0))));
    if (soft !== undefined && files < ENOUGH_FILES)
      yield warn(
        "open files",
        `${files} at most, as this command was started: enough for some ${Math.floor(files / 3)} visitors at once`,
        "In the systemd unit, set LimitNOFILE=65536; in a shell, ulimit -n 65536; in docker run, --ulimit nofile=65536",
      );
    else if (soft !== undefined) yield ok("open files", `${soft} at most, as this command was started`);
    // systemd-timesyncd touches it with each answer of its server.
    const synchronized = await stat("/run/systemd/timesync/synchronized").catch(() => undefined);
    if (synchronized) yield ok("clock", `${new Date().toISOString()}, set by the network`);
    else yield ok("clock", `${new Date().toISOString()}; whether the network sets it is not known here: timedatectl tells`);
  },
};
