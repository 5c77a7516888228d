import { AppError } from "../../errors.ts";
import { createKeyedCounter } from "../../lib/keyed-counter.ts";
import { SUBNET48_FACTOR, subnet48QuotaPrefix } from "../accounts/actor.ts";

/** Bodies that one server instance receives at the same time: per caller, that is per owner of storage, and per multipart upload. */
const MAX_TRANSFERS = { caller: 128, upload: 32 } as const;

const RETRY_SECONDS = 2;

export interface TransferKeys {
  /** The owner of the storage that the body uses. */
  readonly quotaOwner: string;
  /** The session of a part. */
  readonly sessionId?: string;
}

/** Limits how many upload bodies this server instance receives at the same time. */
export interface Transfers {
  /** Runs `receive` as one transfer. Throws TOO_MANY_UPLOADS, before the body is read, if a limit is reached. */
  run<T>(keys: TransferKeys, receive: () => Promise<T>): Promise<T>;
}

export function createTransfers(): Transfers {
  const counts = createKeyedCounter();
  return {
    async run(keys, receive) {
      const limits = toLimits(keys);
      for (const { name, max, where } of limits) if (counts.get(name) >= max) throw tooMany(max, where);
      for (const { name } of limits) counts.add(name, 1);
      try {
        return await receive();
      } finally {
        for (const { name } of limits) counts.add(name, -1);
      }
    },
  };
}

interface TransferLimit {
  readonly name: string;
  readonly max: number;
  readonly where: string;
}

/** IPv6 also counts by its /48, at sixteen times the limit (disk space, "Simultaneous transfers"). */
function toLimits({ quotaOwner, sessionId }: TransferKeys): TransferLimit[] {
  const subnet48 = subnet48QuotaPrefix(quotaOwner);
  return [
    { name: quotaOwner, max: MAX_TRANSFERS.caller, where: "of yours" },
    ...(subnet48 === undefined ? [] : [{ name: subnet48, max: MAX_TRANSFERS.caller * SUBNET48_FACTOR, where: "from your network (/48)" }]),
    ...(sessionId === undefined ? [] : [{ name: `session:${sessionId}`, max: MAX_TRANSFERS.upload, where: "of this upload" }]),
  ];
}

const tooMany = (max: number, where: string): AppError =>
  new AppError("TOO_MANY_UPLOADS", `${max} transfers ${where} are already running. Wait for one to finish, then try again.`, {
    retryAfterSeconds: RETRY_SECONDS,
  });
