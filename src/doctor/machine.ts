import { stat } from "node:fs/promises";
import { readOpenFileLimits, toThreshold } from "../open-files.ts";
import { type Check, ok, type Subject, warn } from "./finding.ts";

/** Every connection takes one, and a download from the disk two. */
const ENOUGH_FILES = 4096;

/** What the operating system allows: open files; whether its clock is set by the network, where it says so. */
export const machine: Check = {
  what: "machine",
  limitMs: 5_000,
  async *look({ config }: Subject) {
    const limits = readOpenFileLimits();
    const files = limits && Math.max(limits.soft, limits.hard);
    if (files === undefined)
      yield warn(
        "open files",
        "this system does not say how many there are (/proc is missing), so idle connections are closed by time alone",
        "Limit connections in the proxy in front.",
      );
    else if (files < ENOUGH_FILES)
      yield warn(
        "open files",
        `${files} at most, as this command was started: enough for some ${Math.floor(files / 3)} visitors at once`,
        "In the systemd unit, set LimitNOFILE=65536; in a shell, ulimit -n 65536; in docker run, --ulimit nofile=65536",
      );
    else
      yield ok(
        "open files",
        `${files} at most, as this command was started; from ${toThreshold(config.connections, files)} on, idle connections are closed`,
      );
    // systemd-timesyncd touches it with each answer of its server.
    const synchronized = await stat("/run/systemd/timesync/synchronized").catch(() => undefined);
    if (synchronized) yield ok("clock", `${new Date().toISOString()}, set by the network`);
    else yield ok("clock", `${new Date().toISOString()}; whether the network sets it is not known here: timedatectl tells`);
  },
};
