import { setTimeout as sleep } from "node:timers/promises";
import type { S3Bucket } from "./s3-bucket.ts";
import { probeUploads, type UploadProbe } from "./s3-probe.ts";
import type { BlobStore, LearntOfStore } from "./store.ts";

export type UploadsSetting = "auto" | "direct" | "proxy";

/** Which way parts take to the store, as far as is known of it. */
export interface UploadRoute {
  /** Whether addresses of the store may be given out now. */
  isDirect(): boolean;
  /** Whether what is staged now is to be out of its senders' reach after its completion. */
  wantsCopy(): boolean;
  /** Whether it is to be begun with the digests of its parts announced. */
  withDigests(): boolean;
  readonly learn: NonNullable<BlobStore["learn"]>;
}

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 30_000;

/** Until the store was heard of, parts pass through this server. */
export function createUploadRoute(bucket: S3Bucket, setting: UploadsSetting): UploadRoute {
  let decision: UploadDecision | undefined;
  return {
    isDirect: () => decision?.isDirect === true,
    wantsCopy: () => decision?.wantsCopy === true,
    withDigests: () => decision?.withDigests === true,
    async learn(signal, onTrouble) {
      let told = false;
      for (let waitMs = FIRST_WAIT_MS; !signal.aborted; waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)) {
        try {
          decision = decideUploads(setting, await probeUploads(bucket));
          return decision;
        } catch (error) {
          if (!told) onTrouble(error);
          told = true;
        }
        await sleep(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
      }
      return undefined;
    },
  };
}

export interface UploadDecision extends LearntOfStore {
  readonly isDirect: boolean;
  /** Senders' addresses would reach a finished object. */
  readonly wantsCopy: boolean;
  readonly withDigests: boolean;
}

/**
 * The rules of decisions, "Storage". No setting gives addresses of a store that would let their holders copy others' objects, or that takes
 * no parts by them.
 */
export function decideUploads(setting: UploadsSetting, probe: UploadProbe): UploadDecision {
  const isSafe = probe.takesRightBytes && probe.refusesCopies;
  const isEnforcing = probe.refusesOtherBytes && probe.refusesOtherSizes && probe.refusesLateParts;
  const through = { isDirect: false, wantsCopy: false, withDigests: probe.withDigests, isAsWished: true };
  if (setting === "proxy") return { ...through, text: "parts of uploads pass through this server, as it is told" };
  if (isSafe && isEnforcing) return { ...through, isDirect: true, text: "parts of uploads go straight to the store" };
  const weak = describeWeaknesses(probe);
  if (setting === "auto") return { ...through, text: `parts of uploads pass through this server: the store ${weak}` };
  if (!isSafe)
    return {
      ...through,
      isAsWished: false,
      text: `parts of uploads pass through this server, though it is told direct: the store ${weak}`,
    };
  const wantsCopy = !probe.refusesLateParts;
  const then = `each file is held against its digests afterwards${wantsCopy ? ", and completing an upload copies it" : ""}`;
  return {
    ...through,
    isDirect: true,
    wantsCopy,
    isAsWished: false,
    text: `parts of uploads go straight to a store that ${weak}: ${then}`,
  };
}

function describeWeaknesses(probe: UploadProbe): string {
  const all = [
    probe.takesRightBytes ? "" : "does not take presigned parts",
    probe.refusesCopies ? "" : "lets whoever has an address copy other objects",
    probe.refusesOtherBytes ? "" : "does not hold parts against their digest",
    probe.refusesOtherSizes ? "" : "takes more bytes than an address is for",
    probe.refusesLateParts || !probe.takesRightBytes ? "" : "takes parts after an upload's end",
  ];
  return all.filter((text) => text !== "").join(", ");
}
