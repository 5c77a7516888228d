import type { Output } from "../../src/service/contract.ts";
import { counted, formatDate, type Reader } from "../site/format.ts";
import type { NoticesTexts } from "./texts/en.ts";

type Notice = Output<"listNotices">["notices"][number];

export interface ToldNotice {
  readonly kind: Notice["kind"];
  readonly count: number;
  /** ISO 8601. */
  readonly at: string | null;
}

/** Returns the text of a notice: `Downloaded 3 times`. */
export function noticeText(texts: NoticesTexts, { kind, count, at }: ToldNotice, reader: Reader): string {
  const { language } = reader;
  if (kind === "downloaded") return texts.downloaded(counted(count, language, texts.once, texts.times));
  if (kind === "arrived") return texts.arrived(counted(count, language, texts.file, texts.files));
  return texts.expiring(at === null ? "" : formatDate(Date.parse(at), reader));
}
