import { type ClamdTarget, connectToClamd } from "./connection.ts";

/** The version of clamd and of its signatures. */
export interface ClamdVersion {
  readonly version: string;
  /** The daily database's number. */
  readonly signatures?: string;
  /** The build time of the signatures, in milliseconds since 1970. */
  readonly signaturesBuiltAt?: number;
}

const VERSION_COMMAND = new TextEncoder().encode("zVERSION\0");

/** Queries clamd's version; returns a reason in words if there is no response. */
export async function queryVersion(target: ClamdTarget): Promise<ClamdVersion | { readonly failure: string }> {
  const connection = await connectToClamd(target);
  if ("failure" in connection) return { failure: `clamd cannot be reached (${connection.failure})` };
  await connection.write(VERSION_COMMAND);
  // clamd responds from memory, so the connect timeout suffices.
  const end = await connection.waitForEnd(target.connectTimeoutMs);
  connection.close();
  if (end?.kind === "reply") return parseVersion(end.text);
  return { failure: `clamd does not respond (${end?.reason ?? `nothing within ${target.connectTimeoutMs} ms`})` };
}

/** Parses `ClamAV 1.4.3/27700/Fri Jul 18 08:31:02 2025`, or `ClamAV 1.4.3` (no official database). The time is the clamd host's. */
export function parseVersion(text: string): ClamdVersion {
  const [version = "", signatures, builtAt] = text.trim().split("/");
  if (!signatures) return { version };
  const signaturesBuiltAt = Date.parse((builtAt ?? "").replace(/\s+/g, " "));
  return Number.isNaN(signaturesBuiltAt) ? { version, signatures } : { version, signatures, signaturesBuiltAt };
}

const STATS_COMMAND = new TextEncoder().encode("zSTATS\0");

/** Queries clamd's `MaxThreads`; undefined if clamd is down, or has `EnableStatsCommand` off. */
export async function queryMaxThreads(link: ClamdTarget): Promise<number | undefined> {
  const connection = await connectToClamd(link);
  if ("failure" in connection) return undefined;
  await connection.write(STATS_COMMAND);
  const end = await connection.waitForEnd(link.connectTimeoutMs);
  connection.close();
  return end?.kind === "reply" ? parseMaxThreads(end.text) : undefined;
}

/** Parses the line `THREADS: live 1  idle 0 max 10 idle-timeout 30`; undefined if there is none. */
export function parseMaxThreads(text: string): number | undefined {
  const max = /^THREADS:.*\bmax (\d{1,6})\b/m.exec(text)?.[1];
  return max === undefined || Number(max) === 0 ? undefined : Number(max);
}
