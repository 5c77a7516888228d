import { setTimeout as sleep } from "node:timers/promises";
import type { BlobStore, StoreCapabilities } from "../store.ts";
import type { S3Bucket } from "./bucket.ts";
import { probeUploads, type UploadProbe } from "./probe.ts";

export type UploadsSetting = "auto" | "direct" | "proxy";

/** How parts are uploaded, by what is known of the store's capabilities. */
export interface UploadMode {
  /** Whether presigned part URLs may be issued now. */
  usesPresignedParts(): boolean;
  /** Whether an upload staged now must be copied on completion, out of reach of its presigned URLs. */
  wantsCopy(): boolean;
  /** Whether to create uploads with a checksum algorithm. */
  withDigests(): boolean;
  readonly detectCapabilities: NonNullable<BlobStore["detectCapabilities"]>;
}

const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;

/** Until the capabilities are known, parts pass through the server. */
export function createUploadMode(bucket: S3Bucket, setting: UploadsSetting): UploadMode {
  let decision: UploadDecision | undefined;
  return {
    usesPresignedParts: () => decision?.usesPresignedParts === true,
    wantsCopy: () => decision?.wantsCopy === true,
    withDigests: () => decision?.withDigests === true,
    async detectCapabilities(signal, onError) {
      let hasReported = false;
      for (let waitMs = FIRST_RETRY_MS; !signal.aborted; waitMs = Math.min(2 * waitMs, MAX_RETRY_MS)) {
        try {
          decision = decideUploads(setting, await probeUploads(bucket));
          return decision;
        } catch (error) {
          if (!hasReported) onError(error);
          hasReported = true;
        }
        await sleep(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
      }
      return undefined;
    },
  };
}

export interface UploadDecision extends StoreCapabilities {
  readonly usesPresignedParts: boolean;
  /** Presigned part URLs could change a completed object. */
  readonly wantsCopy: boolean;
  readonly withDigests: boolean;
}

/**
 * Applies the rules of storage, "Parts and an S3 store". No setting makes the server issue presigned URLs of a store that would let clients
 * copy other objects with them, or that rejects them.
 */
export function decideUploads(setting: UploadsSetting, probe: UploadProbe): UploadDecision {
  const isSafe = probe.takesRightBytes && probe.refusesCopies;
  const isEnforcing = probe.refusesOtherBytes && probe.refusesOtherSizes && probe.refusesLateParts;
  const proxied = { usesPresignedParts: false, wantsCopy: false, withDigests: probe.withDigests, matchesSetting: true };
  if (setting === "proxy") return { ...proxied, text: "parts pass through the server (FILEHOST_S3_UPLOADS=proxy)" };
  if (isSafe && isEnforcing) return { ...proxied, usesPresignedParts: true, text: "clients send parts directly to the store" };
  const weak = describeWeaknesses(probe);
  if (setting === "auto") return { ...proxied, text: `parts pass through the server: the store ${weak}` };
  if (!isSafe)
    return {
      ...proxied,
      matchesSetting: false,
      text: `parts pass through the server despite FILEHOST_S3_UPLOADS=direct: the store ${weak}`,
    };
  const wantsCopy = !probe.refusesLateParts;
  const consequence = `the server verifies each file afterwards${wantsCopy ? ", and copies it to complete the upload" : ""}`;
  return {
    ...proxied,
    usesPresignedParts: true,
    wantsCopy,
    matchesSetting: false,
    text: `clients send parts directly to the store, which ${weak}: ${consequence}`,
  };
}

function describeWeaknesses(probe: UploadProbe): string {
  const all = [
    probe.takesRightBytes ? "" : "rejects presigned parts",
    probe.refusesCopies ? "" : "allows copies of other objects through a presigned URL",
    probe.refusesOtherBytes ? "" : "does not enforce the digests of parts",
    probe.refusesOtherSizes ? "" : "does not enforce the sizes of parts",
    probe.refusesLateParts || !probe.takesRightBytes ? "" : "accepts parts after the upload has ended",
  ];
  return all.filter((text) => text !== "").join(", ");
}
