import { wideQuotaPrefix } from "../../domain/actor.ts";
import { WIDE_GROUP_FACTOR } from "../../domain/address.ts";
import { AppError } from "../../errors.ts";

/** Bodies that a process receives at once: from one caller, that is for one owner's storage, and for one upload in parts. */
const MAX_TRANSFERS = { caller: 128, upload: 32 } as const;

/** When to try again: transfers of others end at any moment. */
const RETRY_SECONDS = "2";

export interface TransferNames {
  /** Whose storage the body uses. */
  readonly quotaOwner: string;
  /** Of a part: the session that it belongs to. */
  readonly sessionId?: string;
}

/** The bodies of uploads that are being received in this process. */
export interface Transfers {
  /** Counts a body for as long as `receive` runs. Throws TOO_MANY_UPLOADS, before a byte of it is read. */
  run<T>(names: TransferNames, receive: () => Promise<T>): Promise<T>;
}

export function createTransfers(): Transfers {
  const counts = new Map<string, number>();

  function add(name: string, change: 1 | -1): void {
    const count = (counts.get(name) ?? 0) + change;
    if (count === 0) counts.delete(name);
    else counts.set(name, count);
  }

  return {
    async run(names, receive) {
      const bounds = boundsOf(names);
      for (const { name, max, where } of bounds) if ((counts.get(name) ?? 0) >= max) throw tooMany(max, where);
      for (const { name } of bounds) add(name, 1);
      try {
        return await receive();
      } finally {
        for (const { name } of bounds) add(name, -1);
      }
    },
  };
}

interface Bound {
  readonly name: string;
  readonly max: number;
  readonly where: string;
}

/** IPv6 also counts by its /48, at sixteen times the limit (decisions, "Accounts, keys, tiers"). */
function boundsOf({ quotaOwner, sessionId }: TransferNames): Bound[] {
  const wide = wideQuotaPrefix(quotaOwner);
  return [
    { name: quotaOwner, max: MAX_TRANSFERS.caller, where: "of yours" },
    ...(wide === undefined ? [] : [{ name: wide, max: MAX_TRANSFERS.caller * WIDE_GROUP_FACTOR, where: "from your network (/48)" }]),
    ...(sessionId === undefined ? [] : [{ name: `session:${sessionId}`, max: MAX_TRANSFERS.upload, where: "of this upload" }]),
  ];
}

const tooMany = (max: number, where: string): AppError =>
  new AppError("TOO_MANY_UPLOADS", `${max} transfers ${where} are under way already. Wait until one ends, then send this again.`, {
    headers: { "Retry-After": RETRY_SECONDS },
  });
