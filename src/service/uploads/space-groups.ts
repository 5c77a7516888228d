import type { OpenUpload, SpaceGroup } from "../../blobs/store.ts";
import type { Db } from "../../db/database.ts";
import { AGENT_QUOTA_PREFIX, ANONYMOUS_QUOTA_PREFIX, subnet48QuotaPrefix } from "../accounts/actor.ts";
import { listOpenBlobs } from "./queries.ts";

/**
 * Fractions of the free disk space that uploads may reserve (disk space, "Limits of groups"). Callers without a person's account may reserve 80 %;
 * anonymous callers may use 75 % of that, and so may agents; one network may use 40 % of the part of its kind.
 */
const FRACTIONS = { withoutPerson: 0.8, kind: 0.75, network: 0.4 } as const;

/** Returns the groups whose disk space an upload uses, by the owner of its storage, the widest first; empty for a person's account. */
export function spaceGroups(quotaOwner: string): readonly SpaceGroup[] {
  const kind = [ANONYMOUS_QUOTA_PREFIX, AGENT_QUOTA_PREFIX].find((prefix) => quotaOwner.startsWith(prefix));
  if (kind === undefined) return [];
  return [
    { name: "withoutPerson", fraction: FRACTIONS.withoutPerson },
    { name: kind, fraction: FRACTIONS.kind },
    { name: subnet48QuotaPrefix(quotaOwner) ?? quotaOwner, fraction: FRACTIONS.network },
  ];
}

/**
 * Fractions of the memory that a store may use for direct uploads (request limits, "Direct uploads on S3"), in groups as for the disk. One account
 * may use 50 %, one network 60 % of the part of its kind, and one /64 75 % of the part of its /48.
 */
const MEMORY_FRACTIONS = { account: 0.5, network: 0.6, address: 0.75 } as const;

/** Returns the groups whose memory an upload uses, by the owner of its storage, the widest first. */
export function memoryGroups(quotaOwner: string): readonly SpaceGroup[] {
  const [withoutPerson, kind, network] = spaceGroups(quotaOwner);
  if (!withoutPerson || !kind || !network) return [{ name: quotaOwner, fraction: MEMORY_FRACTIONS.account }];
  const address = network.name === quotaOwner ? [] : [{ name: quotaOwner, fraction: MEMORY_FRACTIONS.address }];
  return [withoutPerson, kind, { ...network, fraction: MEMORY_FRACTIONS.network }, ...address];
}

/** Lists the unfinished uploads by the key of their blob. */
export async function listOpenUploads(db: Db): Promise<ReadonlyMap<string, OpenUpload>> {
  const rows = await listOpenBlobs(db);
  return new Map(rows.map((row) => [row.blob_key, { groups: spaceGroups(row.quota_owner), lastByteAtMs: row.last_byte_at }]));
}
