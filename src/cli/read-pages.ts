import { AppError } from "../errors.ts";

const PAGE_SIZE = 200;

interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

/** Reads the pages of a list to its end, or up to `count` items. */
export async function readPages<T>(
  count: number,
  read: (page: { readonly cursor: string | undefined; readonly limit: number }) => Promise<Page<T>>,
): Promise<T[]> {
  const found: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await read({ cursor, limit: Math.min(PAGE_SIZE, count - found.length) });
    found.push(...page.data);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && found.length < count);
  return found.slice(0, count);
}

/** The option of list commands for the largest number of items. */
export const LIMIT_OPTION = { kind: "text", value: "N", help: "Maximum number of items to list; default: all" } as const;

/** Parses the number of a `--limit`. Throws VALIDATION_FAILED. */
export function toLimit(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new AppError("VALIDATION_FAILED", `"${text}" is not a number of items. Write a whole number of at least 1.`);
}
