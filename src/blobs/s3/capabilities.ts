import { setTimeout as sleep } from "node:timers/promises";
import type { BlobStore, StoreCapabilities } from "../store.ts";
import type { S3Bucket } from "./bucket.ts";
import { probeUploads, type UploadProbe } from "./probe.ts";

export type UploadsSetting = "auto" | "direct" | "proxy";

/** The way in which parts are uploaded, according to the store's known capabilities. */
export interface UploadMode {
  /** Returns whether presigned part URLs may be issued now. */
  usesPresignedParts(): boolean;
  /** Returns whether an upload that is staged now must be copied on completion, out of reach of its presigned URLs. */
  copiesOnCompletion(): boolean;
  /** Returns whether to create uploads with a checksum algorithm. */
  usesChecksums(): boolean;
  readonly detectCapabilities: NonNullable<BlobStore["detectCapabilities"]>;
}

const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;

/** Decides how parts are uploaded. Until the store's capabilities are known, parts pass through the server. */
export function createUploadMode(bucket: S3Bucket, setting: UploadsSetting): UploadMode {
  let decision: UploadDecision | undefined;
  return {
    usesPresignedParts: () => decision?.usesPresignedParts === true,
    copiesOnCompletion: () => decision?.copiesOnCompletion === true,
    usesChecksums: () => decision?.usesChecksums === true,
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
  /** Whether presigned part URLs could change a completed object, so that it must be copied. */
  readonly copiesOnCompletion: boolean;
  readonly usesChecksums: boolean;
}

/**
 * Decides how parts are uploaded (storage, "Parts and an S3 store"). With no setting does the server issue presigned URLs of a store that rejects
 * them or that would let clients copy other objects with them.
 */
export function decideUploads(setting: UploadsSetting, probe: UploadProbe): UploadDecision {
  const isSafe = probe.acceptsExpectedBytes && probe.rejectsCopies;
  const isEnforcing = probe.rejectsWrongDigest && probe.rejectsWrongSize && probe.rejectsPartsAfterCompletion;
  const proxied = { usesPresignedParts: false, copiesOnCompletion: false, usesChecksums: probe.usesChecksums, matchesSetting: true };
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
  const copiesOnCompletion = !probe.rejectsPartsAfterCompletion;
  const consequence = `the server verifies each file afterwards${copiesOnCompletion ? ", and copies it to complete the upload" : ""}`;
  return {
    ...proxied,
    usesPresignedParts: true,
    copiesOnCompletion,
    matchesSetting: false,
    text: `clients send parts directly to the store, which ${weak}: ${consequence}`,
  };
}

function describeWeaknesses(probe: UploadProbe): string {
  const all = [
    probe.acceptsExpectedBytes ? "" : "rejects presigned parts",
    probe.rejectsCopies ? "" : "allows copies of other objects through a presigned URL",
    probe.rejectsWrongDigest ? "" : "does not enforce the digests of parts",
    probe.rejectsWrongSize ? "" : "does not enforce the sizes of parts",
    probe.rejectsPartsAfterCompletion || !probe.acceptsExpectedBytes ? "" : "accepts parts after the upload has ended",
  ];
  return all.filter((text) => text !== "").join(", ");
}
