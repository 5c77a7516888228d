import { formatSize } from "../../src/lib/text/format-size.ts";
import type { Language } from "../texts/languages.ts";
import { formatDuration } from "./format.ts";
import type { ErrorTexts } from "./texts/en.ts";

/** The members of an error's JSON body that its text needs. */
export interface ShownError {
  readonly errorCode: string;
  readonly issues?: readonly { readonly path: string }[];
  readonly limitKind?: string;
  readonly limitBytes?: number | null;
  readonly limitFiles?: number;
  readonly maxTtlSeconds?: number;
  readonly retryAfterSeconds?: number;
  readonly buyers?: number | undefined;
}

/** Returns the sentence of an error for people (pages, "Errors"); undefined for a code or a field without a text. */
export function errorText(texts: ErrorTexts, language: Language, error: ShownError): string | undefined {
  const { errorCode, maxTtlSeconds, retryAfterSeconds, buyers } = error;
  if (errorCode === "VALIDATION_FAILED") return fieldsText(texts, error);
  if (errorCode === "QUOTA_EXCEEDED") return quotaText(texts, language, error);
  if (errorCode === "EXPIRY_TOO_LONG" && maxTtlSeconds !== undefined) {
    return texts.keptTooLong(formatDuration(maxTtlSeconds * 1000, language));
  }
  if (errorCode === "RATE_LIMITED" && retryAfterSeconds !== undefined) {
    return texts.tooManyRequests(formatDuration(retryAfterSeconds * 1000, language));
  }
  if (errorCode === "HAS_BUYERS" && buyers !== undefined) return texts.hasBuyers(buyers);
  return find(texts.byCode, errorCode);
}

const find = (texts: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(texts, key) ? texts[key] : undefined;

/** Returns a sentence for each field; undefined if a field has none. */
function fieldsText({ byField }: ErrorTexts, { issues = [] }: ShownError): string | undefined {
  const sentences = new Set(issues.map(({ path }) => find(byField, path)));
  return sentences.size === 0 || sentences.has(undefined) ? undefined : [...sentences].join(" ");
}

function quotaText(texts: ErrorTexts, language: Language, { limitKind, limitBytes, limitFiles }: ShownError): string {
  if (limitKind === "SHIPMENT_QUOTA") return texts.shipmentFull;
  if (limitKind === "REQUEST_FILES" || limitKind === "REQUEST_BYTES") return texts.requestFull;
  if (limitFiles !== undefined) return texts.tooManyFiles(limitFiles.toLocaleString(language));
  const hasSize = typeof limitBytes === "number" && limitKind !== "INGEST_BUDGET";
  if (!hasSize) return texts.ingestFull;
  const limit = formatSize(limitBytes, language);
  return limitKind === "FILE_SIZE" ? texts.fileTooLarge(limit) : texts.storageFull(limit);
}
