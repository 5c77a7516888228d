import { setTimeout as sleep } from "node:timers/promises";
import type { S3Bucket } from "./s3-bucket.ts";
import { probeUploads, type UploadProbe } from "./s3-probe.ts";
import type { LearntOfStore } from "./store.ts";

export type UploadsSetting = "auto" | "direct" | "proxy";

/** Which way parts take to the store, as far as is known of it. */
export interface UploadRoute {
  /** Whether addresses of the store may be given out now. */
  isDirect(): boolean;
  /** Whether what is staged now is to be out of its senders' reach after its completion. */
  wantsCopy(): boolean;
  /** Tries the store until it gives an answer; undefined where the setting asks nothing of it, or `signal` fires. */
  learn(signal: AbortSignal): Promise<LearntOfStore | undefined>;
}

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 30_000;

/**
 * The rules of decisions, "Storage". Until the store was heard of, parts pass through this server. No setting gives addresses of a store that
 * would let their holders copy others' objects, or that takes no parts by them.
 */
export function createUploadRoute(bucket: S3Bucket, setting: UploadsSetting): UploadRoute {
  let probe: UploadProbe | undefined;
  return {
    isDirect: () => probe !== undefined && setting !== "proxy" && isSafe(probe) && (setting === "direct" || isEnforcing(probe)),
    wantsCopy: () => setting === "direct" && probe?.refusesLateParts !== true,
    async learn(signal) {
      if (setting === "proxy") return undefined;
      for (let waitMs = FIRST_WAIT_MS; !signal.aborted; waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)) {
        probe = await probeUploads(bucket).catch(() => undefined);
        if (probe) return describe(setting, probe);
        await sleep(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
      }
      return undefined;
    },
  };
}

const isSafe = (probe: UploadProbe): boolean => probe.takesRightBytes && probe.refusesCopies;
const isEnforcing = (probe: UploadProbe): boolean => probe.refusesOtherBytes && probe.refusesLateParts;

function describe(setting: Exclude<UploadsSetting, "proxy">, probe: UploadProbe): LearntOfStore {
  const weak = weaknesses(probe);
  if (isSafe(probe) && isEnforcing(probe)) return { isAsWished: true, text: "parts of uploads go straight to the store" };
  if (setting === "auto") return { isAsWished: true, text: `parts of uploads pass through this server: the store ${weak}` };
  if (!isSafe(probe))
    return { isAsWished: false, text: `FILEHOST_S3_UPLOADS is direct, but parts pass through this server: the store ${weak}` };
  const copied = probe.refusesLateParts ? "" : ", and completing an upload copies it";
  return {
    isAsWished: false,
    text: `parts of uploads go straight to a store that ${weak}: each file is held against its digests afterwards${copied}`,
  };
}

function weaknesses(probe: UploadProbe): string {
  const all = [
    probe.takesRightBytes ? "" : "does not take presigned parts",
    probe.refusesCopies ? "" : "lets whoever has an address copy other objects",
    probe.refusesOtherBytes ? "" : "does not hold parts against their digest",
    probe.refusesLateParts || !probe.takesRightBytes ? "" : "takes parts after an upload's end",
  ];
  return all.filter((text) => text !== "").join(", ");
}
